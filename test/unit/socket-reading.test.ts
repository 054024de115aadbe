import { PassThrough } from 'node:stream';

import { describe, expect, it } from '@jest/globals';

import { CHUNK_BYTES, readInChunks } from '../../src/platform/bounded-reading/socket-reading.ts';

const filled = (bytes: number): PassThrough => {
  const stream = new PassThrough({ highWaterMark: bytes + 1 });
  stream.write(Buffer.alloc(bytes, 'x'));
  return stream;
};

describe('readInChunks', () => {
  it('gives all that is there, at most a chunk at a time', () => {
    const stream = readInChunks(filled(2 * CHUNK_BYTES + 7));
    const lengths: number[] = [];
    for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) lengths.push(chunk.length);
    expect(lengths).toEqual([CHUNK_BYTES, CHUNK_BYTES, 7]);
  });

  it('gives the size that is asked for', () => {
    expect(readInChunks(filled(3 * CHUNK_BYTES)).read(2 * CHUNK_BYTES)).toHaveLength(2 * CHUNK_BYTES);
  });

  it('gives nothing more once it is destroyed', () => {
    const stream = readInChunks(filled(2 * CHUNK_BYTES));
    expect(stream.read()).toHaveLength(CHUNK_BYTES);
    stream.destroy();
    expect(stream.read()).toBeNull();
  });
});
