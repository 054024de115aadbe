import type { Mutant } from './mutants.ts';

/** The function that says whether a mutant is on. */
const IS_ON = 'isMutantOn';

interface Place {
  readonly start: number;
  readonly end: number;
  readonly mutants: readonly Mutant[];
}

/**
 * The source with all its mutants in it, each behind a switch, so that one compilation serves them all. What `globalThis`
 * has under `registry` is called with the file's name and returns the function that says which mutant is on.
 */
export function switched(source: string, mutants: readonly Mutant[], registry: string, file: string): string {
  const places = placesOf(mutants);
  const body = rendered(source, 0, source.length, places);
  return `const ${IS_ON} = globalThis[${JSON.stringify(registry)}](${JSON.stringify(file)});${body}`;
}

/** The mutants of each range, outer ranges before those within them. */
function placesOf(mutants: readonly Mutant[]): readonly Place[] {
  const byRange = new Map<string, Mutant[]>();
  for (const mutant of mutants) {
    const key = `${mutant.start}-${mutant.end}`;
    byRange.set(key, [...(byRange.get(key) ?? []), mutant]);
  }
  return [...byRange.values()]
    .flatMap((mutants) => (mutants[0] === undefined ? [] : [{ ...mutants[0], mutants }]))
    .sort((one, other) => one.start - other.start || other.end - one.end);
}

/** The text of a range, with the switches of the places in it. */
function rendered(source: string, start: number, end: number, places: readonly Place[]): string {
  let text = '';
  let at = start;
  for (const [index, place] of places.entries()) {
    if (place.start < at || place.end > end) continue;
    const inner = places
      .slice(index + 1)
      .filter((each) => each.start >= place.start && each.end <= place.end);
    text +=
      source.slice(at, place.start) + withSwitches(rendered(source, place.start, place.end, inner), place);
    at = place.end;
  }
  return text + source.slice(at, end);
}

function withSwitches(original: string, { mutants }: Place): string {
  return mutants.reduce(
    (text, { id, after, isStatement }) =>
      isStatement ? `{ if (!${IS_ON}(${id})) { ${text} } }` : `(${IS_ON}(${id}) ? (${after}) : (${text}))`,
    original,
  );
}
