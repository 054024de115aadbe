/** The query of an address: a repeated name has a list of values. */
export type Search = Record<string, string | string[]>;

export function parseSearch(text: string): Search {
  const params = new URLSearchParams(text);
  const search: Search = {};
  for (const name of new Set(params.keys())) {
    const values = params.getAll(name);
    search[name] = values.length === 1 ? (values[0] ?? '') : values;
  }
  return search;
}

/** `?status=FAILED&status=EXPIRED`; leaves out absent, empty and false values. */
export function stringifySearch(search: object): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const one of [value as unknown].flat()) if (isWord(one)) params.append(name, String(one));
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

function isWord(value: unknown): value is string | number | true {
  return value === true || typeof value === 'number' || (typeof value === 'string' && value !== '');
}

/** The one value of a name; undefined without one. */
export function wordIn(search: Search, name: string): string | undefined {
  const value = [search[name]].flat()[0];
  return value === '' ? undefined : value;
}

/** All values of a name, each once; undefined without one. */
export function allIn(search: Search, name: string): string[] | undefined {
  const words = [search[name]].flat().flatMap((word) => (word === undefined || word === '' ? [] : [word]));
  return words.length === 0 ? undefined : [...new Set(words)];
}

/** The known values among those of a name. */
export function wordsIn<Known extends string>(
  search: Search,
  name: string,
  known: readonly Known[],
): Known[] | undefined {
  const words = new Set([search[name]].flat());
  const found = known.filter((word) => words.has(word));
  return found.length === 0 ? undefined : found;
}

/** The fields that have a value. */
export function given<Read extends object>(read: Read): Partial<Read> {
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined)) as Partial<Read>;
}

/** Sentences about the words of an address that `read`, made of them, has left out; `names` are the filters there are. */
export function leftOut(search: object, read: object, names: readonly string[]): string[] {
  const kept = new Map(Object.entries(read).map(([name, value]) => [name, new Set([value].flat())]));
  return Object.entries(search).flatMap(([name, value]) => {
    if (!names.includes(name)) return [`The filter ${name} is unknown and was left out.`];
    const lost = [value]
      .flat()
      .filter((word) => word !== undefined && word !== '' && kept.get(name)?.has(word) !== true);
    return lost.map((word) => `The filter ${name} has no “${String(word)}”, which was left out.`);
  });
}
