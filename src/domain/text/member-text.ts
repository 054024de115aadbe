/** The next structural character of JSON, past spaces and the characters of literals. */
const STRUCTURE = /["{}[\],:]/g;
const SPACE = /[ \t\n\r]*/y;

/**
 * The text of an object's member as it stands in the JSON: parsing could drop digits of a number. If a name occurs several
 * times, the last one counts, as in JSON.parse. The JSON must be valid; null if it is no object, or lacks the member.
 */
export function memberText(json: string, name: string): string | null {
  return memberTexts(json)?.get(name) ?? null;
}

/** The text of each member of an object, by name. The JSON must be valid; null when it is no object. */
export function memberTexts(json: string): Map<string, string> | null {
  const open = afterSpace(json, 0);
  if (json[open] !== '{') return null;
  const found = new Map<string, string>();
  for (let at = afterSpace(json, open + 1); json[at] === '"';) {
    const keyEnd = endOfString(json, at);
    const from = afterSpace(json, afterSpace(json, keyEnd) + 1);
    const to = endOfValue(json, from);
    found.set(JSON.parse(json.slice(at, keyEnd)) as string, json.slice(from, to).trimEnd());
    at = json[to] === ',' ? afterSpace(json, to + 1) : to;
  }
  return found;
}

/** The text of each element of an array. The JSON must be valid; null when it is no array. */
export function elementTexts(json: string): string[] | null {
  const start = afterSpace(json, 0);
  if (json[start] !== '[') return null;
  const found: string[] = [];
  let at = afterSpace(json, start + 1);
  if (json[at] === ']') return found;
  for (;;) {
    const to = endOfValue(json, at);
    found.push(json.slice(at, to).trimEnd());
    if (json[to] !== ',') return found;
    at = afterSpace(json, to + 1);
  }
}

function afterSpace(json: string, from: number): number {
  SPACE.lastIndex = from;
  SPACE.test(json);
  return SPACE.lastIndex;
}

function endOfString(json: string, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** The position of the comma or bracket that ends the value beginning here. */
function endOfValue(json: string, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length;) {
    STRUCTURE.lastIndex = at;
    const next = STRUCTURE.exec(json);
    if (next === null) break;
    const [character] = next;
    if (depth === 0 && (character === ',' || character === '}' || character === ']')) return next.index;
    if (character === '{' || character === '[') depth += 1;
    if (character === '}' || character === ']') depth -= 1;
    at = character === '"' ? endOfString(json, next.index) : next.index + 1;
  }
  return json.length;
}
