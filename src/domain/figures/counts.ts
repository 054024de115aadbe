import { BUCKETS, latencyOf, type Latency } from './latency.ts';

/** Counters by name: `polls.unchanged`, `failed.timeout`, or `r17` for bucket 17 of a latency. */
export type Counts = Readonly<Record<string, number>>;

/** The distributions among the counts. */
export type LatencyName = 'latency' | 'attempts' | 'requests' | 'gap';

/** The names of all buckets, made once: a poll must not build strings. */
export const BUCKET_NAMES: Readonly<Record<LatencyName, readonly string[]>> = {
  latency: namesOf('l'),
  attempts: namesOf('a'),
  requests: namesOf('r'),
  gap: namesOf('g'),
};

export function countOf(counts: Counts, name: string): number {
  return counts[name] ?? 0;
}

/** The count of each of these words under `group`, including zeros. */
export function countsOfWords<Word extends string>(
  counts: Counts,
  group: string,
  words: readonly Word[],
): Record<Word, number> {
  const entries = words.map((word) => [word, countOf(counts, `${group}.${word}`)]);
  return Object.fromEntries(entries) as Record<Word, number>;
}

/** Returns the counts under `group`, without zeros. */
export function countsUnder(counts: Counts, group: string): Record<string, number> {
  const prefix = `${group}.`;
  const entries = Object.entries(counts).filter(([name, count]) => name.startsWith(prefix) && count > 0);
  return Object.fromEntries(entries.map(([name, count]) => [name.slice(prefix.length), count]).sort(byName));
}

/**
 * Approximates the counts of the last minute: those of the present minute, of which `share` has passed, and for the rest those
 * of the former minute, as if its counts were spread evenly.
 */
export function slidingMinute(before: Counts, present: Counts, share: number): Counts {
  const names = new Set([...Object.keys(before), ...Object.keys(present)]);
  const countIn = (name: string): number =>
    Math.round(countOf(before, name) * (1 - share)) + countOf(present, name);
  return Object.fromEntries([...names].map((name) => [name, countIn(name)]));
}

export function latencyIn(counts: Counts, name: LatencyName): Latency {
  return latencyOf(BUCKET_NAMES[name].map((bucket) => countOf(counts, bucket)));
}

/** Short names, since most entries of a row are buckets. */
function namesOf(letter: string): string[] {
  return Array.from({ length: BUCKETS }, (_, bucket) => `${letter}${bucket}`);
}

function byName([one]: readonly unknown[], [other]: readonly unknown[]): number {
  return String(one) < String(other) ? -1 : 1;
}
