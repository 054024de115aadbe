import { tidyHead } from './tidy-head.ts';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const NOTHING = Buffer.alloc(0);
const BEGINNING = 'HTTP/1.';
const STATUS_LINE = /^HTTP\/1\.\d[ \t]+([1-9])\d\d(?!\d)/;

/**
 * Holds the bytes of a response back until its head is complete, so that undici parses the head of the final response alone, as
 * `tidyHead` writes it: undici ends a connection at a 100, a 101 and much else that RFC 9110 and 9112 let a recipient read past.
 */
export class ResponseHead {
  private held: Buffer = NOTHING;
  private isOver = false;

  /** `onInterim` is called for each response of status 1xx, which is left out. */
  constructor(private readonly onInterim: () => void) {}

  /** The next bytes are those of another response. */
  restart(): void {
    this.held = NOTHING;
    this.isOver = false;
  }

  /** The bytes to parse now. */
  take(chunk: Buffer): Buffer {
    if (this.isOver) return chunk;
    let bytes = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    // The end may consist of the last two bytes that are held and the first new one.
    let from = Math.max(this.held.length - 2, 0);
    for (;;) {
      bytes = withoutEmptyLines(bytes);
      if (!isBegun(bytes)) return this.pass(bytes);
      const end = endOf(bytes, from);
      if (end === -1) return this.hold(bytes);
      const head = bytes.toString('latin1', 0, end);
      const statusClass = STATUS_LINE.exec(head)?.[1];
      // What is no response is left for the parser to refuse.
      if (statusClass === undefined) return this.pass(bytes);
      if (statusClass !== '1')
        return this.pass(Buffer.concat([Buffer.from(tidyHead(head), 'latin1'), bytes.subarray(end)]));
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

/** Empty lines before a status line do not count. */
function withoutEmptyLines(bytes: Buffer): Buffer {
  let at = 0;
  while (bytes[at] === CARRIAGE_RETURN || bytes[at] === LINE_FEED) at += 1;
  return bytes.subarray(at);
}

function isBegun(bytes: Buffer): boolean {
  return BEGINNING.startsWith(bytes.toString('latin1', 0, BEGINNING.length));
}

/** The place after the empty line that ends the head; -1: it is not there yet. */
function endOf(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(LINE_FEED, from); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) {
    const next = bytes[at + 1] === CARRIAGE_RETURN ? at + 2 : at + 1;
    if (bytes[next] === LINE_FEED) return next + 1;
  }
  return -1;
}
