/** A process, as it describes itself. */
export interface SettledReplica {
  readonly id: string;
  readonly roles: readonly string[];
  /** The fingerprint of each setting that must agree and that the process's roles use. */
  readonly settings: Readonly<Record<string, string>>;
}

/** A setting that differs between replicas. */
export interface Disagreement {
  readonly setting: string;
  /** The replicas with each value. */
  readonly groups: readonly (readonly SettledReplica[])[];
}

/** The fingerprint of a setting that is not set. */
export const UNSET = 'unset';
/** Separates the key with which a secret's fingerprint was made from the fingerprint. */
export const KEYED = ':';

/** The settings on which these replicas differ. A replica that does not list a setting does not use it. */
export function disagreementsOf(replicas: readonly SettledReplica[]): Disagreement[] {
  const names = [...new Set(replicas.flatMap(({ settings }) => Object.keys(settings)))].sort();
  return names.flatMap((setting) => {
    const groups = new Map<string, SettledReplica[]>();
    for (const replica of replicas) {
      const value = replica.settings[setting];
      if (value === undefined) continue;
      groups.set(value, [...(groups.get(value) ?? []), replica]);
    }
    return groups.size > 1 && areComparable([...groups.keys()])
      ? [{ setting, groups: [...groups.values()] }]
      : [];
  });
}

/** For example `RABBITMQ_URL is set in ID (dispatcher), and is not in ID (dispatcher)`. */
export function disagreementWords({ setting, groups }: Disagreement): string {
  const members = groups.map((group) =>
    group.map(({ id, roles }) => `${id} (${roles.join(', ')})`).join(', '),
  );
  const without = groups.findIndex(([first]) => first?.settings[setting] === UNSET);
  if (without < 0) return `${setting} is one thing in ${members.join(', another in ')}`;
  const others = members.filter((_, index) => index !== without);
  return `${setting} is set in ${others.join(', otherwise in ')}, and not in ${members[without]}`;
}

/** With different keys, the same secret has different fingerprints, so that only the key's own setting disagrees. */
function areComparable(fingerprints: readonly string[]): boolean {
  const keys = fingerprints.filter((each) => each !== UNSET).map((each) => each.split(KEYED));
  return new Set(keys.map(([key, rest]) => (rest === undefined ? '' : key))).size <= 1;
}
