import { describe, expect, it } from '@jest/globals';

import { CallerQueue, type Permit, type QueueRound } from '../../src/platform/scheduling/caller-queue.ts';

const ROUND: QueueRound = { granted: 0, isProbe: false, waitMs: 0, everyMs: 10, refusal: null };

class Refused extends Error {
  constructor(readonly waitMs: number) {
    super('refused');
  }
}

/** A queue whose rounds are answered by `round`, and the callers in the order in which they were served. */
function queueOf(round: (wanted: number) => Partial<QueueRound>) {
  const asked: number[] = [];
  const served: string[] = [];
  const queue = new CallerQueue(
    async (wanted) => {
      asked.push(wanted);
      return { ...ROUND, ...round(wanted) };
    },
    (waitMs) => new Refused(waitMs),
  );
  const take = async (caller: string): Promise<Permit> => {
    const permit = await queue.takePermit(caller);
    served.push(caller);
    return permit;
  };
  return { take, asked, served };
}

/** For how long each refused request was told to wait; null for one that was served. */
async function waitsOf(requests: readonly Promise<unknown>[]): Promise<(number | null)[]> {
  const settled = await Promise.allSettled(requests);
  return settled.map((each) =>
    each.status === 'rejected' ? Math.round((each.reason as Refused).waitMs) : null,
  );
}

describe('the lines of callers', () => {
  it('are served in turn, each in the order of its requests, with one question for all', async () => {
    const { take, asked, served } = queueOf(() => ({ granted: 1 }));
    await Promise.all(['flood', 'flood', 'flood', 'calm', 'calm'].map(take));
    expect(served).toEqual(['flood', 'calm', 'flood', 'calm', 'flood']);
    expect(asked).toEqual([1, 4, 3, 2, 1]);
  });

  it('give everything to a caller that is alone', async () => {
    const { take, asked, served } = queueOf((wanted) => ({ granted: wanted }));
    await Promise.all(Array.from({ length: 100 }, () => take('alone')));
    expect([served.length, asked]).toEqual([100, [1, 99]]);
  });

  it('refuse who would wait for more than five seconds, and tell each another time', async () => {
    const { take } = queueOf(() => ({ granted: 0, waitMs: 4_000, everyMs: 2_000 }));
    const first = take('key').catch(() => undefined);
    const waits = await waitsOf(Array.from({ length: 4 }, () => take('key')));
    const sorted = waits.filter((wait) => wait !== null).toSorted((a, b) => a - b);
    expect(new Set(sorted).size).toBe(4);
    for (const [index, wait] of sorted.entries()) expect(wait).toBeGreaterThanOrEqual(5_900 + index * 2_000);
    await first;
  }, 10_000);

  it('get the next requests one after the other', async () => {
    const { take } = queueOf(() => ({ granted: 0, waitMs: 4_900, everyMs: 200 }));
    expect(await waitsOf([take('one'), take('two')])).toEqual([4_900, 5_100]);
  });

  it('have one probe while the circuit is open, and refuse the others', async () => {
    const refusal = new Refused(700);
    let isOpen = false;
    const { take } = queueOf(() => {
      const round = isOpen ? { granted: 1, isProbe: true, refusal } : { granted: 0 };
      isOpen = true;
      return round;
    });
    const requests = [take('one'), take('one'), take('two')];
    expect(await requests[0]).toEqual({ isProbe: true });
    expect(await waitsOf(requests)).toEqual([null, 700, 700]);
  });

  it('all end with a question that fails, and ask again for the next request', async () => {
    let isAway = true;
    const { take } = queueOf(() => {
      if (isAway) throw new Error('connection lost');
      return { granted: 1 };
    });
    await expect(Promise.all([take('one'), take('two')])).rejects.toThrow('connection lost');
    isAway = false;
    expect(await take('one')).toEqual({ isProbe: false });
  });
});
