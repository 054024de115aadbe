import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  type BrotliDecompress,
  type Gunzip,
  type Inflate,
  type InflateRaw,
} from 'node:zlib';

/** The most bytes of a body that are read. */
export const MAX_BODY_BYTES = 64 * 1_024;
/** The most bytes of a body that are kept, as received and decompressed. */
export const EXCERPT_BYTES = 1_024;

/** The beginning of an answer's body as received. */
export interface RawExcerpt {
  /** The first KiB, or all bytes if fewer were read. */
  readonly bytes: Buffer;
  /** How many bytes were read; more than MAX_BODY_BYTES: reading stopped there. */
  readonly bodyBytes: number;
  /** The values of Content-Encoding and Content-Type; '': none. */
  readonly encoding: string;
  readonly contentType: string;
}

const MOST_CODINGS = 3;
const CODING = /^[\w-]{1,20}$/;
/** A decoder outputs parts of this size, so that a decompression bomb is stopped after one part. */
const WHOLE = { chunkSize: EXCERPT_BYTES };
/** The bytes that were read may end anywhere. */
const ZLIB_PART = { ...WHOLE, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI_PART = { ...WHOLE, finishFlush: constants.BROTLI_OPERATION_FLUSH };
const ZLIB_METHOD = 8;

type Decoder = BrotliDecompress | Gunzip | Inflate | InflateRaw;
/** A decoder fails at the end of bytes that are not `whole`, unless it expects a `part`. */
type MakeDecoder = (expected: 'whole' | 'part', bytes: Buffer) => Decoder;

const zlib = (expected: 'whole' | 'part'): typeof WHOLE => (expected === 'whole' ? WHOLE : ZLIB_PART);
const gzip: MakeDecoder = (expected) => createGunzip(zlib(expected));

const DECODERS = new Map<string, MakeDecoder>([
  ['gzip', gzip],
  ['x-gzip', gzip],
  // With the header of zlib, as RFC 9110 demands, or without it, as some servers send it.
  [
    'deflate',
    (expected, bytes) => (isZlib(bytes) ? createInflate(zlib(expected)) : createInflateRaw(zlib(expected))),
  ],
  ['br', (expected) => createBrotliDecompress(expected === 'whole' ? WHOLE : BROTLI_PART)],
]);

/** The beginning of an answer as text: decompressed and in its charset. If it is no text, its kind and size. */
export async function excerptOf(raw: RawExcerpt): Promise<string> {
  let { bytes } = raw;
  if (bytes.length === 0) return '';
  const codings = raw.encoding.split(',').map((coding) => coding.trim().toLowerCase());
  const applied = codings.filter((coding) => coding !== '' && coding !== 'identity').reverse();
  for (const coding of applied) {
    const make = DECODERS.get(coding);
    if (make === undefined || applied.length > MOST_CODINGS)
      return `compressed (${CODING.test(coding) ? coding : 'unknown coding'}), ${sizeOf(raw)}`;
    const found = await decompress(make('part', bytes), bytes);
    // A body that is cut before its first byte can be decompressed looks empty; only a body that is whole can be empty.
    if (found?.length === 0 && (await decompress(make('whole', bytes), bytes)) === null)
      return `compressed (${coding}) and cut, ${sizeOf(raw)}`;
    bytes = found ?? bytes;
  }
  const text = decoderOf(raw.contentType, bytes).decode(bytes, { stream: true });
  return isText(text) ? text : `binary, ${sizeOf(raw)}`;
}

/** The first KiB; null if the bytes are not compressed in this way, whatever the header says. */
function decompress(decoder: Decoder, bytes: Buffer): Promise<Buffer | null> {
  return new Promise((resolve) => {
    let found = Buffer.alloc(0);
    const end = (isBroken: boolean): void => {
      decoder.destroy();
      resolve(isBroken && found.length === 0 ? null : found.subarray(0, EXCERPT_BYTES));
    };
    decoder.on('data', (part: Buffer) => {
      found = Buffer.concat([found, part]);
      if (found.length >= EXCERPT_BYTES) end(false);
    });
    decoder.once('end', () => end(false)).on('error', () => end(true));
    decoder.end(bytes);
  });
}

function isZlib(bytes: Buffer): boolean {
  return bytes.length > 1 && (bytes.readUInt8(0) & 15) === ZLIB_METHOD && bytes.readUInt16BE(0) % 31 === 0;
}

const CHARSET = /;\s*charset\s*=\s*["']?([^\s"';]+)/i;
/** The byte order mark, which counts more than the header. */
const UTF_16_BE = 0xfe_ff;

function decoderOf(contentType: string, bytes: Buffer): InstanceType<typeof TextDecoder> {
  const isBigEndian = bytes.length > 1 && bytes.readUInt16BE(0) === UTF_16_BE;
  try {
    return new TextDecoder(isBigEndian ? 'utf-16be' : (CHARSET.exec(contentType)?.[1] ?? 'utf-8'));
  } catch {
    return new TextDecoder();
  }
}

/** Characters that show that data is no text: controls, and U+FFFD for bytes that are invalid in the charset. */
const NO_TEXT = /[^\t\n\r\P{Cc}]|\ufffd/gu;
const MOST_NO_TEXT = 0.3;

function isText(text: string): boolean {
  return !text.includes('\0') && (text.match(NO_TEXT)?.length ?? 0) <= MOST_NO_TEXT * text.length;
}

function sizeOf({ bodyBytes }: RawExcerpt): string {
  if (bodyBytes > MAX_BODY_BYTES) return `more than ${MAX_BODY_BYTES / 1_024} KiB`;
  return bodyBytes === 1 ? '1 byte' : `${bodyBytes} bytes`;
}
