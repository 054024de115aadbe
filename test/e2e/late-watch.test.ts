import { beforeAll, describe, expect, it } from '@jest/globals';

import type { AppProcess } from '../support/app-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import type { PublishedEvent } from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

type Json = Record<string, unknown>;

const HOUR_MS = 3_600_000;

let stage: Stage;
let app: AppProcess;

/** A stage with a shop, for the tests of one `describe`. */
function onStage(settings: Record<string, string> = {}): void {
  beforeAll(async () => {
    stage = await Stage.open();
    app = await stage.start(settings);
    await stage.addShop(app);
  });
}

function published(quoteId: string, words: readonly string[]): Promise<PublishedEvent[]> {
  return stage.published(app, quoteId, words);
}

async function shown(quoteId: string): Promise<Json> {
  return jsonOf(await app.fetch(`/api/payments/${quoteId}`), 200);
}

/** What the watch waits between its last poll and the next. */
async function watchIntervalMs(quoteId: string): Promise<number> {
  const { lastPolledAt, nextPollAt } = await shown(quoteId);
  return Date.parse(String(nextPollAt)) - Date.parse(String(lastPolledAt));
}

/** The late watch takes hours: its next poll comes now instead. */
async function pollNow(quoteId: string): Promise<void> {
  await stage.database.query(
    `UPDATE payment_schedule SET due_at = now()
     WHERE payment_id = (SELECT id FROM payment WHERE quote_id = $1)`,
    [quoteId],
  );
}

/** The payment has ended so much longer ago. */
async function age(quoteId: string, hours: number): Promise<void> {
  await stage.database.query(
    `UPDATE payment SET ended_at = ended_at - $2 * interval '1 hour' WHERE quote_id = $1`,
    [quoteId, hours],
  );
}

/** Asks until the provider was polled: a refresh within a second of the last poll asks for nothing. */
async function refresh(quoteId: string): Promise<Json> {
  const before = stage.provider.calls.polls(quoteId).length;
  let answer: Json = {};
  await waitFor(
    async () => {
      answer = await jsonOf(await app.fetch(`/api/payments/${quoteId}/refresh`, { method: 'POST' }), 200);
      return stage.provider.calls.polls(quoteId).length > before;
    },
    { everyMs: 100, what: 'a refresh that asks the provider' },
  );
  return answer;
}

function pollsOf(quoteId: string): number {
  return stage.provider.calls.polls(quoteId).length;
}

async function polledAgain(quoteId: string, times: number): Promise<void> {
  const before = pollsOf(quoteId);
  await waitFor(() => pollsOf(quoteId) >= before + times, { what: `${times} more polls of ${quoteId}` });
}

describe('a payment that has ended', () => {
  onStage();

  it.concurrent(
    'by its expiry is watched; a deposit that comes then, and all that follows, is published as late, completed once',
    async () => {
      const quoteId = await stage.quote(app, { orderId: 'late-1' });
      stage.say([quoteId], 'EXPIRED');
      await published(quoteId, ['created', 'expired']);
      expect(await shown(quoteId)).toMatchObject({ status: 'EXPIRED', late: false, tracking: 'watching' });
      expect(await watchIntervalMs(quoteId)).toBeGreaterThan(20_000);

      const deposit = { txHash: '0xfeed', amount: '0.050000000000000001' };
      stage.provider.setStatus(quoteId, { status: 'DEPOSIT_RECEIVED', deposit });
      await pollNow(quoteId);
      await published(quoteId, ['created', 'expired', 'deposit_received late']);
      expect(await shown(quoteId)).toMatchObject({
        status: 'DEPOSIT_RECEIVED',
        late: true,
        tracking: 'active',
        report: { status: 'DEPOSIT_RECEIVED', deposit },
      });

      stage.say([quoteId], 'EXECUTING');
      await published(quoteId, ['created', 'expired', 'deposit_received late', 'executing late']);
      stage.say([quoteId], 'COMPLETED');
      const story = ['created', 'expired', 'deposit_received late', 'executing late', 'completed late'];
      const events = await published(quoteId, story);
      expect(events.map(({ data }) => data.previousStatus)).toEqual([
        null,
        'AWAITING_DEPOSIT',
        'EXPIRED',
        'DEPOSIT_RECEIVED',
        'EXECUTING',
      ]);
      expect(events[2]?.data).toMatchObject({ orderId: 'late-1', payment: { deposit } });
      expect(await shown(quoteId)).toMatchObject({
        status: 'COMPLETED',
        late: true,
        tracking: 'closed',
        sequence: 5,
        nextPollAt: null,
      });
    },
  );

  it.concurrent(
    'is watched ever more seldom, and a deposit hours later is followed as closely as any',
    async () => {
      const quoteId = await stage.quote(app);
      stage.say([quoteId], 'EXPIRED');
      await published(quoteId, ['created', 'expired']);
      const intervals = [await watchIntervalMs(quoteId)];
      for (const hours of [1, 5]) {
        await age(quoteId, hours);
        const before = intervals.at(-1) ?? 0;
        await pollNow(quoteId);
        await waitFor(async () => (await watchIntervalMs(quoteId)) > before * 1.5);
        intervals.push(await watchIntervalMs(quoteId));
      }
      expect(intervals.at(-1)).toBeGreaterThan(HOUR_MS);
      expect(intervals.at(-1)).toBeLessThan(12 * HOUR_MS);
      await published(quoteId, ['created', 'expired']);

      stage.say([quoteId], 'EXECUTING');
      await pollNow(quoteId);
      await published(quoteId, ['created', 'expired', 'executing late']);
      await polledAgain(quoteId, 3);
      stage.say([quoteId], 'COMPLETED');
      await published(quoteId, ['created', 'expired', 'executing late', 'completed late']);
    },
  );

  it.concurrent(
    'a second time, by a failure after a late deposit, is watched again and may still complete',
    async () => {
      const quoteId = await stage.quote(app);
      stage.say([quoteId], 'EXPIRED');
      await published(quoteId, ['created', 'expired']);
      stage.provider.setStatus(quoteId, { status: 'FAILED', error: 'no route' });
      await pollNow(quoteId);
      await published(quoteId, ['created', 'expired', 'failed late']);
      expect(await shown(quoteId)).toMatchObject({ status: 'FAILED', late: true, tracking: 'watching' });
      stage.provider.setStatus(quoteId, { status: 'COMPLETED', error: null });
      await pollNow(quoteId);
      await published(quoteId, ['created', 'expired', 'failed late', 'completed late']);
    },
  );

  it.concurrent(
    'by a failure is watched, and published as completed, late, when the execution succeeds after all',
    async () => {
      const quoteId = await stage.quote(app);
      stage.say([quoteId], 'EXECUTING');
      await published(quoteId, ['created', 'executing']);
      stage.provider.setStatus(quoteId, { status: 'FAILED', error: 'slippage' });
      const failed = await published(quoteId, ['created', 'executing', 'failed']);
      expect(failed[2]?.data).toMatchObject({ late: false, payment: { error: 'slippage' } });
      expect(await shown(quoteId)).toMatchObject({ status: 'FAILED', late: false, tracking: 'watching' });
      expect(await watchIntervalMs(quoteId)).toBeGreaterThan(20_000);

      stage.provider.setStatus(quoteId, { status: 'COMPLETED', error: null });
      await pollNow(quoteId);
      const events = await published(quoteId, ['created', 'executing', 'failed', 'completed late']);
      expect(events[3]?.data).toMatchObject({ previousStatus: 'FAILED', payment: { error: null } });
      expect(await shown(quoteId)).toMatchObject({ status: 'COMPLETED', late: true, tracking: 'closed' });
    },
  );
});

describe('the end of the late watch', () => {
  onStage({ LATE_WATCH_SECONDS: '2' });

  it.concurrent(
    'still finds, by its last poll and without being asked, a deposit after the expiry',
    async () => {
      const quoteId = await stage.quote(app);
      // Whatever the machine does in between: the poll after the one that sees EXPIRED sees the deposit.
      stage.provider.script(quoteId, [{ status: 'EXPIRED' }]);
      stage.say([quoteId], 'DEPOSIT_RECEIVED');
      await published(quoteId, ['created', 'expired', 'deposit_received late']);
      const [expiredAt = 0, depositAt = 0] = stage.provider.calls.polls(quoteId);
      expect(depositAt - expiredAt).toBeGreaterThan(1_000);
      stage.say([quoteId], 'COMPLETED');
      await published(quoteId, ['created', 'expired', 'deposit_received late', 'completed late']);
    },
  );

  it.concurrent(
    'closes the payment: no event, no more polls, but a refresh still asks, and takes what is new',
    async () => {
      const [quoteId, other] = [await stage.quote(app), await stage.quote(app)];
      stage.say([quoteId], 'EXPIRED');
      await published(quoteId, ['created', 'expired']);
      await waitFor(async () => (await shown(quoteId))['tracking'] === 'closed');
      expect(await shown(quoteId)).toMatchObject({ status: 'EXPIRED', sequence: 2, nextPollAt: null });
      const polls = pollsOf(quoteId);
      stage.say([quoteId], 'DEPOSIT_RECEIVED');
      await polledAgain(other, 10);
      expect(pollsOf(quoteId)).toBe(polls);
      await published(quoteId, ['created', 'expired']);

      expect(await refresh(quoteId)).toMatchObject({
        status: 'DEPOSIT_RECEIVED',
        late: true,
        tracking: 'active',
      });
      await published(quoteId, ['created', 'expired', 'deposit_received late']);
      await polledAgain(quoteId, 2);
      stage.say([quoteId], 'COMPLETED');
      await published(quoteId, ['created', 'expired', 'deposit_received late', 'completed late']);
    },
  );

  it.concurrent('stays closed after a refresh that finds it as it was', async () => {
    const quoteId = await stage.quote(app);
    stage.say([quoteId], 'EXPIRED');
    await waitFor(async () => (await shown(quoteId))['tracking'] === 'closed');
    expect(await refresh(quoteId)).toMatchObject({
      status: 'EXPIRED',
      tracking: 'closed',
      nextPollAt: null,
    });
    await published(quoteId, ['created', 'expired']);
  });

  it.concurrent(
    'never comes by the clock: past its expiresAt a payment stays as the provider says, and is polled',
    async () => {
      stage.provider.quoteWith({ expiresIn: 1 });
      const quoteId = await stage.quote(app);
      stage.provider.quoteWith({});
      const expiresAt = Math.floor(Date.now() / 1000) - 7_200;
      stage.provider.setStatus(quoteId, { expiresAt });
      await polledAgain(quoteId, 2);
      const since = Date.now();
      await waitFor(() => stage.provider.calls.polls(quoteId).some((at) => at > since + 2_500));
      expect(await shown(quoteId)).toMatchObject({
        status: 'AWAITING_DEPOSIT',
        tracking: 'active',
        late: false,
        expiresAt: new Date(expiresAt * 1_000).toISOString(),
        nextPollAt: expect.any(String),
      });
      await published(quoteId, ['created']);
      stage.say([quoteId], 'COMPLETED');
      const events = await published(quoteId, ['created', 'completed']);
      expect(events[1]?.data).toMatchObject({ previousStatus: 'AWAITING_DEPOSIT', late: false });
    },
  );
});
