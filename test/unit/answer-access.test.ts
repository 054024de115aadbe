import { describe, expect, it } from '@jest/globals';

import { AnswerAccess, MAX_UNCHECKED_MS, type LongAnswer } from '../../src/platform/http/answer-access.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';

type Answer = () => Promise<boolean>;

function answerOf(accessId: string, isAllowed: Answer): LongAnswer {
  return { accessId, isAllowed };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Checks these answers at each of the times; answers which were refused so far. */
async function refusedAt(clients: readonly LongAnswer[], ...times: number[]): Promise<LongAnswer[]> {
  const refused = new Set<LongAnswer>();
  const access = new AnswerAccess((client) => void refused.add(client));
  for (const now of times) {
    access.check(clients, now);
    await turn();
  }
  return [...refused];
}

describe('the long answers of a key', () => {
  it('are checked together, once, and end together', async () => {
    let asked = 0;
    const ask = async (): Promise<boolean> => {
      asked += 1;
      return false;
    };
    const [one, two, other] = [answerOf('a', ask), answerOf('a', ask), answerOf('b', async () => true)];
    expect(await refusedAt([one, two, other], 0)).toEqual([one, two]);
    expect(asked).toBe(1);
  });

  it('end when their key could not be checked for half a minute: the database does not answer, or fails', async () => {
    const failing = answerOf('a', () => Promise.reject(new StoreUnavailable()));
    const hanging = answerOf('b', () => new Promise(() => undefined));
    const known = answerOf('c', async () => true);
    const clients = [failing, hanging, known];
    expect(await refusedAt(clients, 0, 1_500, MAX_UNCHECKED_MS - 1)).toEqual([]);
    expect(await refusedAt(clients, 0, 1_500, MAX_UNCHECKED_MS)).toEqual([failing, hanging]);
  });

  it('go on after an outage that was shorter, which the next one does not continue', async () => {
    let isAway = true;
    const client = answerOf('a', () =>
      isAway ? Promise.reject(new StoreUnavailable()) : Promise.resolve(true),
    );
    const refused: LongAnswer[] = [];
    const access = new AnswerAccess((each) => void refused.push(each));
    for (const [now, away] of [
      [0, true],
      [20_000, false],
      [25_000, true],
      [49_000, true],
      [50_000, true],
    ] as const) {
      isAway = away;
      access.check([client], now);
      await turn();
      expect(refused).toEqual(now < 50_000 ? [] : [client]);
    }
  });
});
