import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { PollWatch } from '../../tools/chaos/poll-watch.ts';

const GAP_MS = 300;
const request = (quoteId: string): Buffer =>
  Buffer.from(`GET /api/status/${quoteId} HTTP/1.1\r\nhost: x\r\n\r\n`);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('the watch over the polls of the chaos', () => {
  let watch: PollWatch;
  beforeEach(() => {
    watch = new PollWatch({ minGapMs: GAP_MS, maxRpm: 3 });
  });
  afterEach(() => watch.close());

  it('counts two polls of one payment that are closer than the gap, on different connections too', async () => {
    watch.newTap()(request('a'));
    await pause(30);
    watch.newTap()(request('a'));
    expect(watch.tooClose).toHaveLength(1);
  });

  it('counts no others', async () => {
    const tap = watch.newTap();
    tap(request('a'));
    tap(request('b'));
    await pause(GAP_MS + 20);
    tap(request('a'));
    expect([watch.polls, watch.tooClose]).toEqual([3, []]);
  });

  it('reads a request that comes in pieces, and each of several that come together', () => {
    const tap = watch.newTap();
    for (const byte of request('a')) tap(Buffer.from([byte]));
    tap(Buffer.concat([request('b'), request('c')]));
    expect(watch.polls).toBe(3);
  });

  it('counts what is above the limit of a minute', () => {
    const tap = watch.newTap();
    for (const quoteId of ['a', 'b', 'c', 'd', 'e']) tap(request(quoteId));
    expect(watch.tooMany).toHaveLength(2);
  });
});
