/**
 * The rights of each role, as the API enforces them; the pages hide or explain actions that a role may not use. See
 * docs/running/access.md.
 */
const ACCESS = {
  submit: ['shop', 'admin'],
  refresh: ['shop', 'operator', 'admin'],
  inspect: ['viewer', 'operator', 'admin'],
  repair: ['operator', 'admin'],
  manage: ['admin'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Right = keyof typeof ACCESS;

export function mayUse(role: string, right: Right): boolean {
  return (ACCESS[right] as readonly string[]).includes(role);
}

/** Why a role may not use a right; null if it may. */
export function refusalFor(role: string, right: Right): string | null {
  if (mayUse(role, right)) return null;
  const needed = ACCESS[right].join(' or ');
  return `Needs the role ${needed}; you are signed in as ${role}.`;
}
