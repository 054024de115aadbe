/**
 * The roles of API keys; docs/running/access.md has the table of their rights. A Paybell serves one merchant, so every role sees all
 * payments. `API_KEYS` and `paybell keys` name roles by these words.
 */
export const ROLES = ['shop', 'viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export function isRole(word: unknown): word is Role {
  return ROLES.some((role) => role === word);
}
