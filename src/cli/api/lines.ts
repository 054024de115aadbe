/** Even a line with a large report is shorter. */
export const MAX_LINE_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

/** The lines of a stream, one of which is held at a time; null for a line that is too long. */
export async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | null> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const taken = (): Uint8Array | null => {
    const line = size > MAX_LINE_BYTES ? null : Buffer.concat(parts);
    [parts, size] = [[], 0];
    return line;
  };
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      size += end - from;
      parts.push(chunk.subarray(from, end));
      yield taken();
      from = end + 1;
    }
    size += chunk.length - from;
    if (size > MAX_LINE_BYTES) parts = [];
    else parts.push(chunk.subarray(from));
  }
  if (size > 0) yield taken();
}
