export const LINE_FEED = 10;

/** A usual response has twenty headers, and the parser keeps about two hundred bytes for each. */
const MAX_LINES = 200;
export const MAX_HEADER_BYTES = 16 * 1_024;
/** The most interim responses, like 103, before the final one. */
const MAX_INTERIM = 20;

/**
 * Bounds the bytes and lines that undici parses before it calls the request's handler: the head of a response, or the
 * trailers of a chunked body. undici's own limit counts only names and values: a hostile head of short lines would become
 * megabytes of small objects.
 */
export class HeaderLimit {
  private bytes = 0;
  private lines = 0;
  private interim = 0;

  get isExceeded(): boolean {
    return this.bytes > MAX_HEADER_BYTES || this.lines > MAX_LINES || this.interim > MAX_INTERIM;
  }

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) this.lines += 1;
  }

  /** The head of an interim response is complete. */
  addInterim(): void {
    this.bytes = 0;
    this.lines = 0;
    this.interim += 1;
  }

  /** Starts the count anew: the earlier bytes were body, or complete headers. */
  reset(): void {
    this.bytes = 0;
    this.lines = 0;
    this.interim = 0;
  }
}
