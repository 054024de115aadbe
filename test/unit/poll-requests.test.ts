import { afterEach, describe, expect, it } from '@jest/globals';

import { StoreUnavailable } from '../../src/ports/payments.ts';
import type { ScheduledPollRequests } from '../../src/features/polling/scheduled-poll-requests.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { FakeIdempotency } from '../support/fakes/idempotency.fake.ts';
import { FakePayments } from '../support/fakes/payments.fake.ts';
import { FakeProvider } from '../support/fakes/provider.fake.ts';
import { FakeProviderRateLimit } from '../support/fakes/provider-rate-limit.fake.ts';
import { FakeSchedule } from '../support/fakes/schedule.fake.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { pollRequestsOn } from '../support/poll-requests.ts';

/** Keeps each statement, and can be away. */
class CountingSchedule extends FakeSchedule {
  readonly statements: (readonly string[])[] = [];
  readonly madeDue: string[] = [];
  readonly hinted: string[] = [];
  isDown = false;
  release: (() => void) | null = null;
  isSlow = false;

  override async makeDue(quoteIds: readonly string[], pollMs: number): Promise<void> {
    this.statements.push(quoteIds);
    if (this.isSlow) await new Promise<void>((resolve) => (this.release = resolve));
    if (this.isDown) throw new StoreUnavailable();
    this.madeDue.push(...quoteIds);
    await super.makeDue(quoteIds, pollMs);
  }

  override async hint(quoteIds: readonly string[], leaseMs: number): Promise<void> {
    this.hinted.push(...quoteIds);
    await super.hint(quoteIds, leaseMs);
  }
}

function scene(): { schedule: CountingSchedule; requests: ScheduledPollRequests } {
  const clock = new FakeClock();
  const payments = new FakePayments(clock, new FakeIdempotency(clock));
  const schedule = new CountingSchedule(payments, clock);
  const rateLimit = new FakeProviderRateLimit(schedule, new FakeProvider(), clock);
  const requests = pollRequestsOn({ schedule, rateLimit });
  opened.push(requests);
  return { schedule, requests };
}

const opened: ScheduledPollRequests[] = [];
afterEach(() => {
  for (const requests of opened.splice(0)) requests.stop();
});

describe('what providers report', () => {
  it('goes into one statement for all that are named at about the same time', async () => {
    const { schedule, requests } = scene();
    requests.makeDue(['a']);
    requests.makeDue(['b', 'a']);
    requests.makeDue(['c']);
    await waitFor(() => schedule.madeDue.length === 3);
    expect(schedule.statements).toEqual([['a', 'b', 'c']]);
  });

  it('while a statement runs is written again after it: it may have come too late', async () => {
    const { schedule, requests } = scene();
    schedule.isSlow = true;
    requests.makeDue(['a']);
    const release = await waitFor(() => schedule.release);
    schedule.isSlow = false;
    requests.makeDue(['a']);
    release();
    await waitFor(() => schedule.madeDue.length === 2);
    expect(schedule.statements).toEqual([['a'], ['a']]);
  });

  it('does not hold back other payments by one that is named over and over', async () => {
    const { schedule, requests } = scene();
    requests.makeDue(['a']);
    await waitFor(() => schedule.madeDue.length === 1);
    requests.makeDue(['a', 'b']);
    await waitFor(() => schedule.madeDue.length >= 2);
    expect(schedule.statements[1]).toEqual(['b']);
    await waitFor(() => schedule.madeDue.length === 3);
    expect(schedule.statements[2]).toEqual(['a']);
  });

  it('survives a database that is away', async () => {
    const { schedule, requests } = scene();
    schedule.isDown = true;
    requests.makeDue(['a', 'b']);
    await waitFor(() => schedule.statements.length === 2);
    schedule.isDown = false;
    await waitFor(() => schedule.madeDue.length === 2);
    expect(schedule.madeDue).toEqual(['a', 'b']);
  });

  it('goes in statements of bounded size, and beyond a bound is left to polling', async () => {
    const { schedule, requests } = scene();
    requests.makeDue(Array.from({ length: 12_000 }, (_, index) => `q${index}`));
    await waitFor(() => schedule.madeDue.length >= 10_000);
    requests.makeDue(['one more']);
    await waitFor(() => schedule.madeDue.includes('one more'));
    expect(schedule.madeDue).toHaveLength(10_001);
    expect(Math.max(...schedule.statements.map((ids) => ids.length))).toBe(500);
  });

  it('is written at a stop, even by a database that refuses it', async () => {
    const { schedule, requests } = scene();
    requests.makeDue(['a']);
    requests.stop();
    await requests.writeRest();
    expect(schedule.madeDue).toEqual(['a']);
    schedule.isDown = true;
    requests.makeDue(['b']);
    await requests.writeRest();
    expect(schedule.madeDue).toEqual(['a']);
  });
});

describe('what clients ask for', () => {
  it('is written for many at once, and once for a client that asks over and over', async () => {
    const { schedule, requests } = scene();
    for (const quoteId of ['a', 'b', 'a']) requests.hint(quoteId);
    await waitFor(() => schedule.hinted.length === 2);
    for (const quoteId of ['a', 'c', 'b']) requests.hint(quoteId);
    await waitFor(() => schedule.hinted.length === 3);
    expect(schedule.hinted).toEqual(['a', 'b', 'c']);
    expect(schedule.statements).toEqual([]);
  });
});
