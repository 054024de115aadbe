import { crc32 } from 'node:zlib';

/** The text chunk of a PNG by which a picture names its release. */
const KEYWORD = 'Software';
const SIGNATURE_BYTES = 8;
/** A chunk has its length and its type before the data, and its checksum after the data. */
const HEAD_BYTES = 8;
const SUM_BYTES = 4;

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
  /** Where the next one begins. */
  readonly end: number;
}

/** The same picture with the text `Paybell 1.2.3`. */
export function withVersion(png: Buffer, version: string): Buffer {
  const { end } = chunkAt(png, SIGNATURE_BYTES);
  const named = Buffer.from(`tEXt${KEYWORD}\0Paybell ${version}`, 'latin1');
  const chunk = Buffer.alloc(SUM_BYTES + named.length + SUM_BYTES);
  chunk.writeUInt32BE(named.length - 'tEXt'.length, 0);
  named.copy(chunk, SUM_BYTES);
  chunk.writeUInt32BE(crc32(named), SUM_BYTES + named.length);
  return Buffer.concat([png.subarray(0, end), chunk, png.subarray(end)]);
}

/** Null for a picture that names no release of Paybell. */
export function versionIn(png: Buffer): string | null {
  for (let at = SIGNATURE_BYTES; at + HEAD_BYTES <= png.length;) {
    const { type, data, end } = chunkAt(png, at);
    const [keyword, text = ''] = data.toString('latin1').split('\0');
    if (type === 'tEXt' && keyword === KEYWORD && text.startsWith('Paybell ')) return text.slice(8);
    at = end;
  }
  return null;
}

function chunkAt(png: Buffer, at: number): Chunk {
  const begin = at + HEAD_BYTES;
  const end = begin + png.readUInt32BE(at);
  return {
    type: png.toString('latin1', at + SUM_BYTES, begin),
    data: png.subarray(begin, end),
    end: end + SUM_BYTES,
  };
}
