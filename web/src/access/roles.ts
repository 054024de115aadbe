/** Who may do what, as the API enforces it; the pages hide or explain what a role may not do. See docs/running/access.md. */
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

/** Why a role may not; null where it may. */
export function refusalFor(role: string, right: Right): string | null {
  if (mayUse(role, right)) return null;
  const needed = ACCESS[right].join(' or ');
  return `Needs the role ${needed}; you are signed in as ${role}.`;
}
