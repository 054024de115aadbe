import { LINE_FEED } from './header-limit.ts';

const CARRIAGE_RETURN = 13;
const NOTHING = Buffer.alloc(0);
const BEGINNING = 'HTTP/1.';
const STATUS_LINE = /^HTTP\/1\.\d[ \t]+([1-9])\d\d(?!\d)/;

/**
 * Holds a response's bytes back until its head is complete, so that undici parses only the head of the final response,
 * rewritten by `tidyHead`. undici itself ends a connection at a 100, a 101 and other oddities that RFC 9110 and 9112 let a
 * recipient skip.
 */
export class ResponseHead {
  private held: Buffer = NOTHING;
  private isOver = false;

  /** Calls `onInterim` for each response of status 1xx, which it leaves out. */
  constructor(private readonly onInterim: () => void) {}

  /** The next bytes belong to another response. */
  restart(): void {
    this.held = NOTHING;
    this.isOver = false;
  }

  /** True if the first chunk of a response has a strict head, as nearly always: such a response does not need `takeChunk`. */
  passUsual(chunk: Buffer): boolean {
    if (this.isOver || this.held.length > 0 || !isStrict(chunk.toString('latin1'))) return false;
    this.isOver = true;
    return true;
  }

  /** Returns the bytes to parse now. */
  takeChunk(chunk: Buffer): Buffer {
    if (this.isOver) return chunk;
    let bytes = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    // The end of the head may span the last two held bytes and the first new one.
    let from = Math.max(this.held.length - 2, 0);
    for (;;) {
      bytes = withoutEmptyLines(bytes);
      if (!isBegun(bytes)) return this.pass(bytes);
      const end = endOf(bytes, from);
      if (end === -1) return this.hold(bytes);
      const head = bytes.toString('latin1', 0, end);
      const statusClass = STATUS_LINE.exec(head)?.[1];
      // The parser refuses bytes that are not a response.
      if (statusClass === undefined) return this.pass(bytes);
      if (statusClass !== '1')
        return this.pass(
          isStrict(head)
            ? bytes
            : Buffer.concat([Buffer.from(tidyHead(head), 'latin1'), bytes.subarray(end)]),
        );
      this.onInterim();
      bytes = bytes.subarray(end);
      from = 0;
    }
  }

  private hold(bytes: Buffer): Buffer {
    this.held = bytes;
    return NOTHING;
  }

  private pass(bytes: Buffer): Buffer {
    this.held = NOTHING;
    this.isOver = true;
    return bytes;
  }
}

/** Skips empty lines before a status line. */
function withoutEmptyLines(bytes: Buffer): Buffer {
  let at = 0;
  while (bytes[at] === CARRIAGE_RETURN || bytes[at] === LINE_FEED) at += 1;
  return bytes.subarray(at);
}

function isBegun(bytes: Buffer): boolean {
  return BEGINNING.startsWith(bytes.toString('latin1', 0, BEGINNING.length));
}

/** The position after the empty line that ends the head; -1: the head is incomplete. */
function endOf(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(LINE_FEED, from); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) {
    const next = bytes[at + 1] === CARRIAGE_RETURN ? at + 2 : at + 1;
    if (bytes[next] === LINE_FEED) return next + 1;
  }
  return -1;
}

/** A header that affects neither the end of the body nor the connection. */
const HEADER =
  '(?!content-length:|transfer-encoding|upgrade|trailer|connection: (?!(?:keep-alive|close)\\r))[a-z0-9-]+: [!-~](?:[ -~]*[!-~])?\\r\\n';
const STRICT = new RegExp(
  `^HTTP/1\\.1 [2-9]\\d\\d [ -~]*\\r\\n(?:${HEADER})*content-length: \\d{1,15}\\r\\n(?:${HEADER})*\\r\\n`,
  'i',
);

/** Whether the parser accepts the head as it is: rewriting each head costs a fifth of a poll. */
function isStrict(response: string): boolean {
  return STRICT.test(response);
}

/** The headers that undici or Paybell reads. */
const PASSED = ['connection', 'keep-alive', 'retry-after', 'content-encoding', 'content-type'];
const READ = new Set(['content-length', 'transfer-encoding', ...PASSED]);
const CONTROLS = /[^\t\P{Cc}]/gu;

/**
 * The head of a response in the strict form that undici's parser accepts, reduced to the headers that are read: folded lines
 * joined, one kind of line ends, no white space before a colon, no control characters, no length beside chunks, and no second
 * length.
 */
export function tidyHead(head: string): string {
  const [statusLine = '', ...lines] = head.split(/\r*\n/);
  const [, minor = '1', status = ''] = /^HTTP\/1\.(\d)\s+(\d+)/.exec(statusLine) ?? [];
  const fields = fieldsOf(lines);
  const version = minor === '0' ? '1.0' : '1.1';
  return [`HTTP/${version} ${status} `, ...framing(fields), ...others(fields), '', ''].join('\r\n');
}

/** The values of each header that is read, by lower-case name. */
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

/**
 * If a response states both a length and chunks, the chunks count, and the connection is not used again: RFC 9112, section
 * 6.3.
 */
function framing(fields: ReadonlyMap<string, readonly string[]>): string[] {
  const codings = listOf(fields.get('transfer-encoding')).filter((coding) => !/^identity$/i.test(coding));
  const given = fields.get('content-length');
  const lengths = new Set(listOf(given));
  // The parser refuses an empty length.
  if (given !== undefined && lengths.size === 0) lengths.add('');
  if (codings.length === 0) return [...lengths].map((length) => `content-length: ${length}`);
  const coding = `transfer-encoding: ${codings.join(', ')}`;
  return lengths.size === 0 ? [coding] : [coding, 'connection: close'];
}

function others(fields: ReadonlyMap<string, readonly string[]>): string[] {
  return PASSED.flatMap((name) => (fields.get(name) ?? []).map((value) => `${name}: ${value}`));
}

/** Skips empty elements, by RFC 9110, section 5.6.1. */
function listOf(values: readonly string[] = []): string[] {
  const items = values.flatMap((value) => value.split(',')).map((item) => item.trim());
  return items.filter((item) => item !== '');
}
