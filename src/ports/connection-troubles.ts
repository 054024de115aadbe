import type { ConnectionHealths, ConnectionTrouble } from './readiness.ts';
import type { ReplicaState, SeenReplica } from './replicas.ts';

/** This process's own view of the connections of destinations. */
export function ownTroubles({ all }: ConnectionHealths): ReplicaState['troubles'] {
  return Object.fromEntries(
    all.flatMap((connection) => {
      const trouble = connection.trouble();
      return trouble === null ? [] : [[connection.name, trouble]];
    }),
  );
}

/**
 * Returns the trouble that keeps events from destinations of this kind, by this process and the last reports of the others;
 * the oldest trouble first.
 */
export function connectionTroubles(
  kind: string,
  connections: ConnectionHealths,
  others: readonly SeenReplica[],
): ConnectionTrouble[] {
  const all = [ownTroubles(connections), ...others.map(({ troubles }) => troubles)];
  return all
    .flatMap((troubles) => troubles[kind] ?? [])
    .toSorted((one, other) => one.since.getTime() - other.since.getTime());
}
