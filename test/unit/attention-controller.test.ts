import { beforeEach, describe, expect, it } from '@jest/globals';

import { AttentionController } from '../../src/features/attention/attention.controller.ts';
import type { AttentionReader } from '../../src/features/attention/attention-reader.ts';
import type { DatabaseHealth } from '../../src/ports/readiness.ts';
import { NOTHING_UNTOLD } from '../../src/ports/untold.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';

const NONE = { count: 0, isMore: false, since: null };
const READING_MS = 1_000;

let clock: FakeClock;
let readings: number;
let isToldYet: boolean;
let controller: AttentionController;

beforeEach(() => {
  clock = new FakeClock();
  readings = 0;
  isToldYet = false;
  const reader = {
    read: () => {
      readings += 1;
      clock.advance(READING_MS);
      return Promise.resolve({
        checkedAt: new Date(0),
        untold: NOTHING_UNTOLD,
        disabled: { ...NONE, endpoints: [] },
        failing: { ...NONE, endpoints: [] },
        destinations: [],
        others: [],
        inFlight: {},
        replicas: [],
      });
    },
    proofsOfLastDay: () => Promise.resolve({}),
    firstSteps: () => Promise.resolve(isToldYet ? {} : { firstSteps: {} }),
  } as unknown as AttentionReader;
  controller = new AttentionController(
    reader,
    { trouble: () => null } as unknown as DatabaseHealth,
    clock.timers,
  );
});

/** The readings after as many requests, one a second. */
async function readingsOf(requests: number): Promise<number> {
  for (let asked = 0; asked < requests; asked += 1) {
    await controller.read();
    clock.advance(1_000);
  }
  return readings;
}

describe('a view whose reading takes a second', () => {
  it('is kept for fifty seconds', async () => {
    isToldYet = true;
    expect(await readingsOf(50)).toBe(1);
    expect(await readingsOf(2)).toBe(2);
  });

  it('is read anew within five seconds while it shows the first steps', async () => {
    await readingsOf(1);
    isToldYet = true;
    const views = [];
    for (let asked = 0; asked < 7; asked += 1) {
      views.push(await controller.read());
      clock.advance(1_000);
    }
    expect(views.at(-1)).not.toHaveProperty('firstSteps');
  });
});
