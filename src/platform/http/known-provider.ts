import { InvalidField } from './invalid-field.ts';
import { wordsOf } from './list-query.ts';

/** Throws InvalidField for a name that no provider has; `known` has all names. */
export function checkProviderName(field: string, name: string, known: readonly string[]): void {
  if (!known.includes(name)) throw new InvalidField(field, `must be one of ${known.join(', ')}`);
}

/**
 * The distinct names in the parameter `provider` of a list; an empty value counts as absent. Throws InvalidField for a name that no
 * provider has: which names there are is known only once the settings are read.
 */
export function providersIn(
  given: string | readonly string[] | undefined,
  known: readonly string[],
): string[] {
  if (!given) return [];
  if (![given].flat().every((name) => known.includes(name)))
    throw new InvalidField('provider', `must be one of ${known.join(', ')}; it may be repeated`);
  return wordsOf(given, known);
}
