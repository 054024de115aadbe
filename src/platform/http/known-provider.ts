import { InvalidField } from './invalid-field.ts';

/** Throws InvalidField for a name that no provider has; `known` has all names. */
export function checkProviderName(field: string, name: string, known: readonly string[]): void {
  if (!known.includes(name)) throw new InvalidField(field, `must be one of ${known.join(', ')}`);
}
