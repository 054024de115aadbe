import { randomBytes } from 'node:crypto';
import type { Transform } from 'node:stream';
import {
  brotliCompressSync,
  constants,
  createBrotliDecompress,
  deflateRawSync,
  deflateSync,
  gzipSync,
} from 'node:zlib';

import { describe, expect, it, jest } from '@jest/globals';

import { EXCERPT_BYTES, excerptOf } from '../../src/destinations/webhook/excerpt.ts';

const TEXT = 'Größe unbekannt';
const LONG = 'no stock of it, '.repeat(1_000);
const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), randomBytes(796)]);

const BIG_ENDIAN = Buffer.from(`\ufeff${TEXT}`, 'utf16le').swap16();

const excerpt = (body: Buffer, encoding = '', contentType = 'text/plain', bodyBytes = body.length) =>
  excerptOf({ bytes: body.subarray(0, EXCERPT_BYTES), bodyBytes, encoding, contentType });

describe("the excerpt of a receiver's answer", () => {
  it.each<[string, Buffer, string, string, string]>([
    ['UTF-8', Buffer.from(TEXT), '', 'text/plain', TEXT],
    ['nothing', Buffer.alloc(0), 'gzip', '', ''],
    ['gzip', gzipSync(TEXT), 'gzip', '', TEXT],
    ['gzip by its old name', gzipSync(TEXT), 'X-GZIP', '', TEXT],
    ['deflate', deflateSync(TEXT), 'deflate', '', TEXT],
    ['deflate without its header', deflateRawSync(TEXT), 'deflate', '', TEXT],
    ['brotli', brotliCompressSync(TEXT), 'br', '', TEXT],
    ['two codings', gzipSync(brotliCompressSync(TEXT)), 'br, identity, gzip', '', TEXT],
    ['text that is called gzip', Buffer.from(TEXT), 'gzip', '', TEXT],
    ['ISO 8859-1', Buffer.from(TEXT, 'latin1'), '', 'text/html; charset=iso-8859-1', TEXT],
    ['UTF-16 of the other byte order', BIG_ENDIAN, '', 'text/plain; charset=utf-16', TEXT],
    ['UTF-16 that only its mark names', BIG_ENDIAN, '', 'text/plain', TEXT],
    ['a charset in single quotes', Buffer.from(TEXT, 'latin1'), '', "text/html; charset='latin1'", TEXT],
    ['UTF-16 in quotes', Buffer.from(TEXT, 'utf16le'), '', 'text/html;charset="UTF-16LE"', TEXT],
    ['compressed ISO 8859-1', gzipSync(Buffer.from(TEXT, 'latin1')), 'gzip', 'a/b; charset=latin1', TEXT],
    ['an unknown charset', Buffer.from(TEXT), '', 'text/plain; charset=x-none', TEXT],
    [
      'some bytes that are none in its charset',
      Buffer.from('o\xffk, it is', 'latin1'),
      '',
      '',
      'o\ufffdk, it is',
    ],
    ['a character that the end cuts', Buffer.from(TEXT).subarray(0, 3), '', '', 'Gr'],
    ['an image', PNG, '', 'image/png', 'binary, 812 bytes'],
    ['a compressed image', gzipSync(PNG), 'gzip', 'image/png', `binary, ${gzipSync(PNG).length} bytes`],
    ['one byte', Buffer.from([0]), '', '', 'binary, 1 byte'],
    ['zstd', PNG, 'zstd', '', 'compressed (zstd), 812 bytes'],
    ['a coding that is no word', PNG, '\u001b[31m', '', 'compressed (unknown coding), 812 bytes'],
    ['gzip of nothing', gzipSync(''), 'gzip', '', ''],
    [
      'gzip that ends in its header',
      gzipSync(TEXT).subarray(0, 5),
      'gzip',
      '',
      'compressed (gzip) and cut, 5 bytes',
    ],
    [
      'brotli that ends at once',
      brotliCompressSync(LONG).subarray(0, 1),
      'br',
      '',
      'compressed (br) and cut, 1 byte',
    ],
    ['too many codings', gzipSync(TEXT), 'gzip,gzip,gzip,gzip', '', 'compressed (gzip), 37 bytes'],
  ])('of %s', async (_, body, encoding, contentType, text) => {
    expect(await excerpt(body, encoding, contentType)).toBe(text);
  });

  it.each([
    ['gzip', gzipSync(LONG)],
    ['gzip of a body that is cut', gzipSync(randomBytes(3_000).toString('hex'))],
    ['br', brotliCompressSync(LONG)],
    ['br of a body that is cut', brotliCompressSync(randomBytes(3_000).toString('hex'))],
  ])('is its first KiB at most: %s', async (coding, body) => {
    const text = await excerpt(body, coding.split(' ')[0]);
    expect(text).toMatch(/^(no stock|[0-9a-f]{100})/);
    expect(text.length).toBeLessThanOrEqual(EXCERPT_BYTES);
    expect(text.length).toBeGreaterThan(EXCERPT_BYTES / 2);
  });

  it('of a bomb of 64 MiB is read no further than that', async () => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
    const bomb = brotliCompressSync(Buffer.alloc(64 * 1_048_576, 'x'), { params });
    expect(bomb.length).toBeLessThan(EXCERPT_BYTES);
    const pushed = jest.spyOn(Object.getPrototypeOf(createBrotliDecompress()) as Transform, 'push');
    expect(await excerpt(bomb, 'br')).toBe('x'.repeat(EXCERPT_BYTES));
    const bytes = pushed.mock.calls.reduce(
      (sum, [chunk]) => sum + ((chunk as Buffer | null)?.length ?? 0),
      0,
    );
    pushed.mockRestore();
    expect(bytes).toBeGreaterThanOrEqual(EXCERPT_BYTES);
    expect(bytes).toBeLessThan(1_048_576);
  });

  it('of more than is read says so', async () => {
    expect(await excerpt(PNG, '', '', 65_537)).toBe('binary, more than 64 KiB');
  });
});
