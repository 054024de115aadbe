import { PassThrough } from 'node:stream';

import { describe, expect, it } from '@jest/globals';

import { PIECE_BYTES, readInPieces } from '../../src/platform/bounded-reading/read-in-pieces.ts';

const filled = (bytes: number): PassThrough => {
  const stream = new PassThrough({ highWaterMark: bytes + 1 });
  stream.write(Buffer.alloc(bytes, 'x'));
  return stream;
};

describe('readInPieces', () => {
  it('gives all that is there, at most a piece at a time', () => {
    const stream = readInPieces(filled(2 * PIECE_BYTES + 7));
    const lengths: number[] = [];
    for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) lengths.push(chunk.length);
    expect(lengths).toEqual([PIECE_BYTES, PIECE_BYTES, 7]);
  });

  it('gives the size that is asked for', () => {
    expect(readInPieces(filled(3 * PIECE_BYTES)).read(2 * PIECE_BYTES)).toHaveLength(2 * PIECE_BYTES);
  });

  it('gives nothing more once it is destroyed', () => {
    const stream = readInPieces(filled(2 * PIECE_BYTES));
    expect(stream.read()).toHaveLength(PIECE_BYTES);
    stream.destroy();
    expect(stream.read()).toBeNull();
  });
});
