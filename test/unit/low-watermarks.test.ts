import { beforeEach, expect, it } from '@jest/globals';

import type { Database } from '../../src/database/connection/database.ts';
import { LowWatermarks } from '../../src/database/polling/low-watermarks.ts';

const NOW_MS = 1_000_000;
const FORGOTTEN_MS = NOW_MS - 5_000;

/** Answers a reading: what is due first, by the urgency in_flight. */
type Answer = (dueMs: number) => void;

let readings: { readonly fromMs: readonly number[]; readonly answer: Answer }[];
let watermarks: LowWatermarks;

beforeEach(async () => {
  readings = [];
  const query = (_sql: string, [fromMs]: readonly [readonly number[]]): Promise<unknown> =>
    new Promise((resolve) => {
      const answer: Answer = (dueMs) =>
        resolve([{ urgency: 'in_flight', due_ms: dueMs, in_ms: dueMs - NOW_MS }]);
      readings.push({ fromMs, answer });
    });
  const clock = { measured: () => undefined, earliestMs: () => NOW_MS };
  watermarks = new LowWatermarks({ query, clock } as unknown as Database, 'http');
  await read(NOW_MS);
});

/** Finds a payment that is due at `dueMs` first. */
async function read(dueMs: number): Promise<void> {
  const reading = watermarks.nextDueInMs();
  readings.at(-1)?.answer(dueMs);
  await reading;
}

/** As after a second: the next reading is of the whole index. */
function secondLater(): void {
  Object.assign(watermarks, { fullAt: 0 });
}

function findsForgotten(): boolean {
  return (watermarks.fromMs[0] ?? 0) <= FORGOTTEN_MS;
}

it('keeps what a full reading has found below a claim that began before it', async () => {
  const from = watermarks.fromMs;
  secondLater();
  await read(FORGOTTEN_MS);
  watermarks.noteDrained(0, from);
  expect(findsForgotten()).toBe(true);
  watermarks.noteDrained(0, watermarks.fromMs);
  expect(findsForgotten()).toBe(false);
});

it('keeps what a full reading has found below a partial one that began before it', async () => {
  const partial = watermarks.nextDueInMs();
  const [, beganBefore] = readings;
  secondLater();
  await read(FORGOTTEN_MS);
  beganBefore?.answer(NOW_MS);
  await partial;
  expect(findsForgotten()).toBe(true);
});

it('lets a full reading lower them, whatever has raised them meanwhile', async () => {
  secondLater();
  const full = watermarks.nextDueInMs();
  watermarks.noteDrained(0, watermarks.fromMs);
  readings.at(-1)?.answer(FORGOTTEN_MS);
  await full;
  expect(findsForgotten()).toBe(true);
});
