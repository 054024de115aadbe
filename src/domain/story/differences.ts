/** A field of a report whose value differs between two reports; absent values are null. */
export interface Difference {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The fields in which two reports differ, by their paths, in the order of the newer one. */
export function differencesOf(before: unknown, after: unknown): Difference[] {
  const old = new Map(leavesOf(before, ''));
  const fresh = new Map(leavesOf(after, ''));
  const paths = [...fresh.keys(), ...[...old.keys()].filter((path) => !fresh.has(path))];
  return paths
    .map((path) => ({ path, before: old.get(path) ?? null, after: fresh.get(path) ?? null }))
    .filter((difference) => difference.before !== difference.after);
}

function leavesOf(value: unknown, path: string): [string, string][] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return [[path, typeof value === 'string' ? value : JSON.stringify(value)]];
  return Object.entries(value).flatMap(([name, inner]) =>
    leavesOf(inner, path === '' ? name : `${path}.${name}`),
  );
}
