import { afterEach, describe, expect, it } from '@jest/globals';

import { StoreUnavailable } from '../../src/ports/payments.ts';
import { DueNowBatcher } from '../../src/features/polling/due-now-batcher.ts';
import { PollingSettings } from '../../src/features/polling/polling.settings.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { FakeIdempotency } from '../support/fakes/idempotency.fake.ts';
import { FakePayments } from '../support/fakes/payments.fake.ts';
import { FakeSchedule } from '../support/fakes/schedule.fake.ts';
import { URGENCY_RULES } from '../support/stores.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const RULES = new PollingSettings(URGENCY_RULES, 900_000, 5_000, 5_000);

/** Keeps each statement, and can be away. */
class CountingSchedule extends FakeSchedule {
  readonly statements: (readonly string[])[] = [];
  isDown = false;
  release: (() => void) | null = null;
  isSlow = false;

  override async makeDue(quoteIds: readonly string[]): Promise<void> {
    this.statements.push(quoteIds);
    if (this.isSlow) await new Promise<void>((resolve) => (this.release = resolve));
    if (this.isDown) throw new StoreUnavailable();
    await super.makeDue(quoteIds);
  }
}

function scene(): { schedule: CountingSchedule; notes: DueNowBatcher } {
  const clock = new FakeClock();
  const payments = new FakePayments(clock, new FakeIdempotency(clock));
  const schedule = new CountingSchedule(payments, clock);
  const notes = new DueNowBatcher(schedule, RULES);
  opened.push(notes);
  return { schedule, notes };
}

const opened: DueNowBatcher[] = [];
afterEach(() => {
  for (const notes of opened.splice(0)) notes.onModuleDestroy();
});

describe('what providers tell', () => {
  it('goes into one statement for all who are told of at about the same time', async () => {
    const { schedule, notes } = scene();
    notes.makeDue(['a']);
    notes.makeDue(['b', 'a']);
    notes.makeDue(['c']);
    await waitFor(() => schedule.madeDue.length === 3);
    expect(schedule.statements).toEqual([['a', 'b', 'c']]);
  });

  it('while a statement runs is written again after it: it may have come too late', async () => {
    const { schedule, notes } = scene();
    schedule.isSlow = true;
    notes.makeDue(['a']);
    const release = await waitFor(() => schedule.release);
    schedule.isSlow = false;
    notes.makeDue(['a']);
    release();
    await waitFor(() => schedule.madeDue.length === 2);
    expect(schedule.statements).toEqual([['a'], ['a']]);
  });

  it('does not hold back other payments by one that is told of over and over', async () => {
    const { schedule, notes } = scene();
    notes.makeDue(['a']);
    await waitFor(() => schedule.madeDue.length === 1);
    notes.makeDue(['a', 'b']);
    await waitFor(() => schedule.madeDue.length >= 2);
    expect(schedule.statements[1]).toEqual(['b']);
    await waitFor(() => schedule.madeDue.length === 3);
    expect(schedule.statements[2]).toEqual(['a']);
  });

  it('survives a database that is away', async () => {
    const { schedule, notes } = scene();
    schedule.isDown = true;
    notes.makeDue(['a', 'b']);
    await waitFor(() => schedule.statements.length === 2);
    schedule.isDown = false;
    await waitFor(() => schedule.madeDue.length === 2);
    expect(schedule.madeDue).toEqual(['a', 'b']);
  });

  it('goes in statements of bounded size, and beyond a bound is left to polling', async () => {
    const { schedule, notes } = scene();
    notes.makeDue(Array.from({ length: 12_000 }, (_, index) => `q${index}`));
    await waitFor(() => schedule.madeDue.length >= 10_000);
    notes.makeDue(['one more']);
    await waitFor(() => schedule.madeDue.includes('one more'));
    expect(schedule.madeDue).toHaveLength(10_001);
    expect(Math.max(...schedule.statements.map((ids) => ids.length))).toBe(500);
  });

  it('is written at a stop, even by a database that refuses it', async () => {
    const { schedule, notes } = scene();
    notes.makeDue(['a']);
    notes.onModuleDestroy();
    await notes.beforeApplicationShutdown();
    expect(schedule.madeDue).toEqual(['a']);
    schedule.isDown = true;
    notes.makeDue(['b']);
    await notes.beforeApplicationShutdown();
    expect(schedule.madeDue).toEqual(['a']);
  });
});
