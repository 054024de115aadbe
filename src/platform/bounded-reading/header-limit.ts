/** A usual answer has twenty headers, and the parser keeps some hundred bytes twice for each. */
const MAX_LINES = 200;
export const MAX_HEADER_BYTES = 16 * 1_024;
const LINE_FEED = 10;

/**
 * Bounds what is parsed without any news for the request: the head, or the trailers behind a chunked body. undici's own
 * limit counts names and values only: a hostile head of short lines would become megabytes of small objects.
 */
export class HeaderLimit {
  private bytes = 0;
  private lines = 0;

  get isPassed(): boolean {
    return this.bytes > MAX_HEADER_BYTES || this.lines > MAX_LINES;
  }

  given(piece: Buffer): void {
    this.bytes += piece.length;
    for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, at + 1)) this.lines += 1;
  }

  /** What was given was no header, or its headers are done with. */
  reset(): void {
    this.bytes = 0;
    this.lines = 0;
  }
}
