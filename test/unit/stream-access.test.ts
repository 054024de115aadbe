import { Writable } from 'node:stream';

import { describe, expect, it } from '@jest/globals';

import { LOG_START } from '../../src/domain/event/log-position.ts';
import { MAX_UNCHECKED_MS, StreamAccess } from '../../src/features/events/stream-access.ts';
import { StreamClient } from '../../src/features/events/stream-client.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';

type Answer = () => Promise<boolean>;

function clientOf(accessId: string, isAllowed: Answer): StreamClient {
  const start = { keyName: 'web', filter: { types: [], payment: null }, from: LOG_START };
  return new StreamClient(new Writable(), { ...start, accessId, isAllowed }, () => undefined);
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Checks these streams at each of the times; answers which were refused so far. */
async function refusedAt(clients: readonly StreamClient[], ...times: number[]): Promise<StreamClient[]> {
  const refused = new Set<StreamClient>();
  const access = new StreamAccess((client) => void refused.add(client));
  for (const now of times) {
    access.check(clients, now);
    await turn();
  }
  return [...refused];
}

describe('the streams of a key', () => {
  it('are checked together, once, and end together', async () => {
    let asked = 0;
    const ask = async (): Promise<boolean> => {
      asked += 1;
      return false;
    };
    const [one, two, other] = [clientOf('a', ask), clientOf('a', ask), clientOf('b', async () => true)];
    expect(await refusedAt([one, two, other], 0)).toEqual([one, two]);
    expect(asked).toBe(1);
  });

  it('end when their key could not be checked for half a minute: the database does not answer, or fails', async () => {
    const failing = clientOf('a', () => Promise.reject(new StoreUnavailable()));
    const hanging = clientOf('b', () => new Promise(() => undefined));
    const known = clientOf('c', async () => true);
    const clients = [failing, hanging, known];
    expect(await refusedAt(clients, 0, 1_500, MAX_UNCHECKED_MS - 1)).toEqual([]);
    expect(await refusedAt(clients, 0, 1_500, MAX_UNCHECKED_MS)).toEqual([failing, hanging]);
  });

  it('go on after an outage that was shorter, which the next one does not continue', async () => {
    let isAway = true;
    const client = clientOf('a', () =>
      isAway ? Promise.reject(new StoreUnavailable()) : Promise.resolve(true),
    );
    const refused: StreamClient[] = [];
    const access = new StreamAccess((each) => void refused.push(each));
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
