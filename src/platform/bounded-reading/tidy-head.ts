/** The headers that undici or Paybell reads. */
const READ = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'retry-after']);
const CONTROLS = /[^\t\P{Cc}]/gu;

/**
 * The head of a response in the strict form that undici's parser takes, with the headers that are read: folded lines in one,
 * line ends of one kind, no white space before a colon, no control characters, no length beside chunks, and no length twice.
 */
export function tidyHead(head: string): string {
  const [statusLine = '', ...lines] = head.split(/\r*\n/);
  const [, minor = '1', status = ''] = /^HTTP\/1\.(\d)\s+(\d+)/.exec(statusLine) ?? [];
  const fields = fieldsOf(lines);
  const version = minor === '0' ? '1.0' : '1.1';
  return [`HTTP/${version} ${status} `, ...framing(fields), ...others(fields), '', ''].join('\r\n');
}

/** The values of each header that is read, by its name in lower case. */
function fieldsOf(lines: readonly string[]): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  let values: string[] | undefined;
  for (const line of lines) {
    const isFolded = /^[ \t]/.test(line);
    if (isFolded) values?.push(`${values.pop() ?? ''} ${line.trim()}`.trim());
    else {
      const colon = line.indexOf(':');
      const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
      values = READ.has(name) ? (fields.get(name) ?? []) : undefined;
      if (values === undefined) continue;
      values.push(
        line
          .slice(colon + 1)
          .replace(CONTROLS, ' ')
          .trim(),
      );
      fields.set(name, values);
    }
  }
  return fields;
}

/** Where a response says both, its chunks count, and its connection is not used again: RFC 9112, section 6.3. */
function framing(fields: ReadonlyMap<string, readonly string[]>): string[] {
  const codings = listOf(fields.get('transfer-encoding')).filter((coding) => !/^identity$/i.test(coding));
  const given = fields.get('content-length');
  const lengths = new Set(listOf(given));
  // The parser refuses an empty one.
  if (given !== undefined && lengths.size === 0) lengths.add('');
  if (codings.length === 0) return [...lengths].map((length) => `content-length: ${length}`);
  const coding = `transfer-encoding: ${codings.join(', ')}`;
  return lengths.size === 0 ? [coding] : [coding, 'connection: close'];
}

function others(fields: ReadonlyMap<string, readonly string[]>): string[] {
  return ['connection', 'keep-alive', 'retry-after'].flatMap((name) =>
    (fields.get(name) ?? []).map((value) => `${name}: ${value}`),
  );
}

/** Empty elements do not count: RFC 9110, section 5.6.1. */
function listOf(values: readonly string[] = []): string[] {
  const items = values.flatMap((value) => value.split(',')).map((item) => item.trim());
  return items.filter((item) => item !== '');
}
