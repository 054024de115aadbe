import { describe, expect, it } from '@jest/globals';

import { versionIn, withVersion } from '../../tools/screenshots/picture-version.ts';

/** One grey pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
);

describe('a picture of the docs', () => {
  it('names the release that it shows, and is the same picture', () => {
    const named = withVersion(PIXEL, '1.2.3');
    expect(versionIn(named)).toBe('1.2.3');
    expect(Buffer.compare(named.subarray(0, 33), PIXEL.subarray(0, 33))).toBe(0);
    expect(Buffer.compare(named.subarray(-(PIXEL.length - 33)), PIXEL.subarray(33))).toBe(0);
  });

  it('names none where none was written', () => {
    expect(versionIn(PIXEL)).toBeNull();
  });
});
