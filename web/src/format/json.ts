/** A whole string, or a number outside strings. */
const STRINGS_AND_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const INDENT = '  ';

/** Parses JSON. A number that JavaScript cannot hold exactly becomes a string of its digits: no amount is rounded. */
export function parseExactly(text: string): unknown {
  const exact = text.replace(STRINGS_AND_NUMBERS, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : keptNumber(token),
  );
  return JSON.parse(exact);
}

/** `1.10` and `1e3` are exact although JavaScript prints them differently. */
function keptNumber(token: string): string {
  const digits = token
    .replace(/[eE].*$/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '');
  return digits.length <= 15 && !token.includes('.') ? token : `"${token}"`;
}

/** Indents JSON without reading its values: the text of every string and number stays. */
export function indented(text: string): string {
  const tokens = text.match(TOKENS) ?? [];
  let depth = 0;
  let result = '';
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    if (token === '{' || token === '[') {
      const isEmpty = next === '}' || next === ']';
      depth += 1;
      result += isEmpty ? token : `${token}\n${INDENT.repeat(depth)}`;
    } else if (token === '}' || token === ']') {
      depth -= 1;
      const isEmpty = tokens[index - 1] === '{' || tokens[index - 1] === '[';
      result += isEmpty ? token : `\n${INDENT.repeat(depth)}${token}`;
    } else if (token === ',') result += `,\n${INDENT.repeat(depth)}`;
    else result += token === ':' ? ': ' : token;
  }
  return result;
}

/** The text of a top-level member, exactly as the JSON has it; null if there is none. */
export function memberText(text: string, name: string): string | null {
  const token = new RegExp(TOKENS);
  const key = JSON.stringify(name);
  let depth = 0;
  let start = -1;
  let previous = '';
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [part] = match;
    if (part === '{' || part === '[') depth += 1;
    if (part === '}' || part === ']') depth -= 1;
    const ends = (depth === 1 && part === ',') || depth === 0;
    if (start >= 0 && ends) return text.slice(start, match.index).trim();
    if (start < 0 && depth === 1 && part === ':' && previous === key) start = match.index + 1;
    previous = part;
  }
  return null;
}
