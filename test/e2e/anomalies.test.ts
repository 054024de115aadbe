import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import type { PublishedEvent } from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

type Json = Record<string, unknown>;

const HOUR_MS = 3_600_000;

let stage: Stage;
let app: SharedService;

beforeAll(async () => {
  stage = await Stage.open();
  app = await stage.startWarm();
  await stage.addShop(app);
});

function published(quoteId: string, words: readonly string[]): Promise<PublishedEvent[]> {
  return stage.published(app, quoteId, words);
}

async function shown(quoteId: string): Promise<Json> {
  return jsonOf(await app.fetch(`/api/payments/${quoteId}`), 200);
}

async function bodyOf(answer: Response): Promise<Json> {
  return (await answer.json()) as Json;
}

async function reported(quoteId: string): Promise<Json> {
  return jsonOf(await app.fetch(`/api/status/${quoteId}`), 200);
}

function pollsOf(quoteId: string): number {
  return stage.provider.calls.polls(quoteId).length;
}

async function polledAgain(quoteId: string, times: number): Promise<void> {
  const before = pollsOf(quoteId);
  await waitFor(() => pollsOf(quoteId) >= before + times, {
    timeoutMs: 20_000,
    what: `${times} more polls of ${quoteId}`,
  });
}

/** A refresh that asked the provider: one within a second of the last poll does not. */
async function refresh(named: string, quoteId = named): Promise<Response> {
  const before = pollsOf(quoteId);
  return waitFor(
    async () => {
      const answer = await app.fetch(`/api/payments/${named}/refresh`, { method: 'POST' });
      return pollsOf(quoteId) > before && answer;
    },
    { everyMs: 100, what: 'a refresh that asks the provider' },
  );
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

// The tests share a Paybell, and those of one `describe` run at the same time: each uses its own payments only.

describe('a provider that contradicts itself', () => {
  it.concurrent('by going back is published once for each step back; status and report stand, and forward goes on', async () => {
    const quoteId = await stage.quote(app);
    const execution = { startedAt: 1_700_000_000, completedAt: null, outputTxHash: null, steps: [] };
    stage.provider.setStatus(quoteId, { status: 'EXECUTING', execution, mark: 'accepted' });
    await published(quoteId, ['created', 'executing']);
    stage.provider.setStatus(quoteId, { status: 'DEPOSIT_RECEIVED', mark: 'back' });
    const once = ['created', 'executing', 'anomaly went_back'];
    const [, , anomaly] = await published(quoteId, once);
    expect(anomaly?.data).toMatchObject({
      status: 'EXECUTING',
      previousStatus: 'EXECUTING',
      late: false,
      payment: { status: 'DEPOSIT_RECEIVED', mark: 'back' },
    });
    await polledAgain(quoteId, 3);
    await published(quoteId, once);
    expect(await shown(quoteId)).toMatchObject({ status: 'EXECUTING', tracking: 'active', sequence: 3 });
    expect(await reported(quoteId)).toMatchObject({ status: 'EXECUTING', mark: 'accepted' });

    stage.say([quoteId], 'AWAITING_DEPOSIT');
    const twice = [...once, 'anomaly went_back'];
    await published(quoteId, twice);
    stage.provider.setStatus(quoteId, { status: 'EXECUTING', mark: 'again' });
    await waitFor(async () => (await reported(quoteId))['mark'] === 'again');
    stage.say([quoteId], 'DEPOSIT_RECEIVED');
    await polledAgain(quoteId, 3);
    await published(quoteId, twice);

    stage.say([quoteId], 'COMPLETED');
    const events = await published(quoteId, [...twice, 'completed']);
    expect(events.at(-1)?.data).toMatchObject({ previousStatus: 'EXECUTING', late: false });
    expect(await reported(quoteId)).toMatchObject({ status: 'COMPLETED' });
  });

  it.concurrent('by expiring after the deposit ends nothing, nor by failing back into an execution', async () => {
    const quoteId = await stage.quote(app);
    stage.say([quoteId], 'DEPOSIT_RECEIVED');
    await published(quoteId, ['created', 'deposit_received']);
    stage.say([quoteId], 'EXPIRED');
    await published(quoteId, ['created', 'deposit_received', 'anomaly went_back']);
    expect(await shown(quoteId)).toMatchObject({ status: 'DEPOSIT_RECEIVED', tracking: 'active' });
    stage.say([quoteId], 'FAILED');
    const failed = ['created', 'deposit_received', 'anomaly went_back', 'failed'];
    await published(quoteId, failed);
    stage.say([quoteId], 'EXECUTING');
    expect(await jsonOf(await refresh(quoteId), 200)).toMatchObject({
      status: 'FAILED',
      tracking: 'watching',
      late: false,
    });
    await published(quoteId, [...failed, 'anomaly went_back']);
    stage.say([quoteId], 'COMPLETED');
    await jsonOf(await refresh(quoteId), 200);
    await published(quoteId, [...failed, 'anomaly went_back', 'completed late']);
  });

  it.concurrent('by an unknown word is published once for each word, is polled on, and ends nothing', async () => {
    const quoteId = await stage.quote(app);
    await polledAgain(quoteId, 2);
    stage.say([quoteId], 'REFUND_PENDING');
    const once = ['created', 'anomaly unknown_status'];
    const [, anomaly] = await published(quoteId, once);
    expect(anomaly?.data).toMatchObject({
      status: 'AWAITING_DEPOSIT',
      payment: { status: 'REFUND_PENDING', quoteId },
    });
    await polledAgain(quoteId, 3);
    await published(quoteId, once);
    expect(await shown(quoteId)).toMatchObject({ status: 'AWAITING_DEPOSIT', tracking: 'active' });
    expect(await reported(quoteId)).toMatchObject({ status: 'AWAITING_DEPOSIT' });
    stage.say([quoteId], 'COMPLETED_IN_PART');
    const story = [...once, 'anomaly unknown_status'];
    await published(quoteId, story);
    for (const [status, word] of [
      ['DEPOSIT_RECEIVED', 'deposit_received'],
      ['EXECUTING', 'executing'],
      ['COMPLETED', 'completed'],
    ] as const) {
      stage.say([quoteId], status);
      story.push(word);
      await published(quoteId, story);
    }
  });

  it.concurrent('after COMPLETED is published by a refresh, once a status; nothing moves', async () => {
    const quoteId = await stage.quote(app);
    stage.say([quoteId], 'COMPLETED');
    const story = ['created', 'completed'];
    await published(quoteId, story);
    for (const status of ['FAILED', 'FAILED', 'EXECUTING', 'COMPLETED']) {
      stage.provider.setStatus(quoteId, { status });
      expect(await jsonOf(await refresh(quoteId), 200)).toMatchObject({
        status: 'COMPLETED',
        late: false,
        tracking: 'closed',
        nextPollAt: null,
      });
      expect(await reported(quoteId)).toMatchObject({ status: 'COMPLETED' });
      const isNew = status !== 'COMPLETED' && (story.length === 2 || status === 'EXECUTING');
      if (isNew) story.push('anomaly changed_after_completed');
      const events = await published(quoteId, story);
      if (isNew) expect(events.at(-1)?.data).toMatchObject({ status: 'COMPLETED', payment: { status } });
    }
  });
});

describe('what happens between two polls', () => {
  it.concurrent('is not invented: a status that was passed shows only in previousStatus', async () => {
    const quoteId = await stage.quote(app);
    await polledAgain(quoteId, 2);
    for (const status of ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED']) stage.say([quoteId], status);
    const [, completed] = await published(quoteId, ['created', 'completed']);
    expect(completed?.data).toMatchObject({ previousStatus: 'AWAITING_DEPOSIT', late: false });
  });

  it.concurrent('and is taken back before the next one was never there', async () => {
    const quoteId = await stage.quote(app);
    stage.say([quoteId], 'EXECUTING');
    await published(quoteId, ['created', 'executing']);
    stage.provider.setStatus(quoteId, { status: 'FAILED', error: 'no route', gas: { amount: '1' } });
    stage.provider.setStatus(quoteId, { status: 'EXECUTING', error: null, gas: null });
    await polledAgain(quoteId, 3);
    stage.say([quoteId], 'COMPLETED');
    await published(quoteId, ['created', 'executing', 'completed']);
  });
});

describe('a report', () => {
  it.concurrent('that differs in what matters is payment.updated, and with a new status one event for both', async () => {
    const quoteId = await stage.quote(app);
    await polledAgain(quoteId, 2);
    const deposit = { txHash: '0xd', amount: '0.010000000000000001' };
    stage.provider.setStatus(quoteId, { deposit });
    const [, updated] = await published(quoteId, ['created', 'updated']);
    expect(updated?.data).toMatchObject({
      status: 'AWAITING_DEPOSIT',
      previousStatus: 'AWAITING_DEPOSIT',
      late: false,
      payment: { status: 'AWAITING_DEPOSIT', deposit },
    });
    stage.provider.setStatus(quoteId, { status: 'EXECUTING', gas: { amount: '0.1', usd: '0.25' } });
    await published(quoteId, ['created', 'updated', 'executing']);
    stage.provider.setStatus(quoteId, { deposit: { ...deposit, confirmations: 2 } });
    await published(quoteId, ['created', 'updated', 'executing', 'updated']);
    stage.say([quoteId], 'COMPLETED');
    await published(quoteId, ['created', 'updated', 'executing', 'updated', 'completed']);
    stage.provider.setStatus(quoteId, { execution: { outputTxHash: '0xe' } });
    await jsonOf(await refresh(quoteId), 200);
    const story = ['created', 'updated', 'executing', 'updated', 'completed', 'updated'];
    const events = await published(quoteId, story);
    expect(events.at(-1)?.data).toMatchObject({ status: 'COMPLETED', late: false });
    expect(await shown(quoteId)).toMatchObject({ status: 'COMPLETED', tracking: 'closed' });
  });

  it.concurrent('with less or more in it than the spec says is no event and no error, and what is new is passed on', async () => {
    const quoteId = await stage.quote(app);
    stage.provider.setStatus(quoteId, { status: 'EXECUTING', deposit: { txHash: '0xd' } });
    await published(quoteId, ['created', 'executing']);
    const odd: Json[] = [
      { execution: null },
      { execution: undefined, gas: undefined, error: undefined },
      { deposit: undefined, route: undefined, expiresAt: undefined, createdAt: undefined },
      { quoteId: quoteId.toUpperCase() },
      { quoteId: undefined, success: undefined, depositAddress: undefined },
      { expiresAt: 'soon', createdAt: -1, route: [], steps: 7 },
      { brandNew: { amount: '1.10', list: [null] } },
    ];
    stage.provider.script(quoteId, odd);
    await polledAgain(quoteId, odd.length + 1);
    expect(await shown(quoteId)).toMatchObject({ status: 'EXECUTING', tracking: 'active', sequence: 2 });
    stage.provider.setStatus(quoteId, { status: 'COMPLETED', brandNew: { amount: '1.10', list: [null] } });
    const events = await published(quoteId, ['created', 'executing', 'completed']);
    expect(events[2]?.data.payment).toMatchObject({ brandNew: { amount: '1.10', list: [null] } });
    expect(await reported(quoteId)).toEqual(events[2]?.data.payment);
    expect(app.lines.filter((line) => /"level":"?(error|fatal|50|60)/.test(line))).toEqual([]);
  });
});

describe('an answer that is no report of this payment', () => {
  it.concurrent('changes nothing, here or for a client, and is told as a silence', async () => {
    const quoteId = await stage.quote(app);
    stage.provider.setStatus(quoteId, { status: 'EXECUTING', deposit: { txHash: '0xd' } });
    await published(quoteId, ['created', 'executing']);
    const good = await reported(quoteId);
    const odd: Json[] = [
      { quoteId: 12_345, status: 'COMPLETED' },
      { quoteId: null, status: 'COMPLETED' },
      { success: false, status: 'COMPLETED' },
      { status: undefined },
      { status: null, error: 'busy' },
      { status: 7 },
      { status: 'error', message: 'rate limited' },
    ];
    for (const each of odd) {
      stage.provider.setStatus(quoteId, { success: true, quoteId, ...each });
      await refresh(quoteId);
      expect(await reported(quoteId)).toEqual(good);
    }
    expect(await shown(quoteId)).toMatchObject({ status: 'EXECUTING', sequence: 2 });
    await stage.database.query(
      `UPDATE payment_schedule SET silent_since = silent_since - interval '2 hours', due_at = now()
       WHERE payment_id = (SELECT id FROM payment WHERE quote_id = $1)`,
      [quoteId],
    );
    await published(quoteId, ['created', 'executing', 'stalled provider_silent']);
    expect(await reported(quoteId)).toEqual(good);
  });

  it.concurrent('of another deposit address makes one anomaly and moves nothing', async () => {
    const quoteId = await stage.quote(app);
    const { depositAddress } = await reported(quoteId);
    stage.provider.setStatus(quoteId, { status: 'COMPLETED', depositAddress: `0x${'e'.repeat(40)}` });
    const told = await published(quoteId, ['created', 'anomaly other_address']);
    expect(told[1]?.data).toMatchObject({ status: 'AWAITING_DEPOSIT', payment: { status: 'COMPLETED' } });
    await polledAgain(quoteId, 2);
    expect(await reported(quoteId)).toMatchObject({ status: 'AWAITING_DEPOSIT', depositAddress });
    stage.provider.setStatus(quoteId, { status: 'COMPLETED', depositAddress });
    await published(quoteId, ['created', 'anomaly other_address', 'completed']);
  });

  it.concurrent('is asked for by a UUID in any letter case, wherever one is named', async () => {
    const quoteId = await stage.quote(app);
    const capital = quoteId.toUpperCase();
    expect(await reported(capital)).toMatchObject({ quoteId });
    expect(await shown(capital)).toMatchObject({ quoteId, sequence: 1 });
    stage.provider.setStatus(quoteId, { status: 'EXECUTING' });
    expect(await jsonOf(await refresh(capital, quoteId), 200)).toMatchObject({ quoteId });
    const events = await published(quoteId, ['created', 'executing']);
    expect(await stage.eventsOf(app, capital)).toEqual(events);
    const feed = await jsonOf(await app.fetch(`/api/events?quoteId=${capital}`), 200);
    expect(feed['data']).toEqual(events);
    const stream = await app.fetch(`/api/payments/${capital}/stream`);
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
    for (const path of ['webhook-deliveries', 'payment-progress']) {
      const asked = async (id: string): Promise<unknown> =>
        (await jsonOf(await app.fetch(`/api/${path}?quoteId=${id}`), 200))['data'];
      await waitFor(async () => isDeepStrictEqual(await asked(capital), await asked(quoteId)));
      expect(await asked(capital)).not.toEqual([]);
    }
    const settled = { method: 'POST', body: { reason: 'test' } };
    const resolved = await jsonOf(await app.fetch(`/api/payments/${capital}/resolve`, settled), 200);
    expect(resolved).toMatchObject({ quoteId, resolution: { reason: 'test' } });
  });

  it.concurrent.each([
    ['repeats the id that it was asked for', (asked: string) => asked],
    ['has small letters', (asked: string) => asked.toLowerCase()],
    ['has capital letters', (asked: string) => asked.toUpperCase()],
  ])('becomes one payment, however it is spelt, where the provider %s', async (_which, named) => {
    const id = `abcdef${randomUUID().slice(6)}`;
    const spellings = [`aBcDeF${id.slice(6)}`, id.toUpperCase(), id];
    for (const asked of spellings)
      stage.provider.addQuote({ status: 'COMPLETED', quoteId: named(asked) }, asked);
    const track = (quoteId: string): Promise<Response> =>
      app.fetch('/api/payments', { method: 'POST', body: { quoteId } });
    const answers = await Promise.all(spellings.map(track));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 201]);
    const ids = new Set(await Promise.all(answers.map(async (answer) => (await bodyOf(answer))['quoteId'])));
    expect(ids).toEqual(new Set([named(id)]));
  });

  it.concurrent('is adopted by capital letters where the provider knows it by these alone', async () => {
    const quoteId = stage.provider.addQuote({}, `ABCDEF${randomUUID().slice(6).toUpperCase()}`);
    stage.provider.setStatus(quoteId, { quoteId });
    expect(await reported(quoteId)).toMatchObject({ quoteId });
    expect(await shown(quoteId.toLowerCase())).toMatchObject({ quoteId, sequence: 1 });
  });
});

describe('a payment that has ended', () => {
  it.concurrent('by its expiry is watched; a deposit that comes then, and all that follows, is published as late, completed once', async () => {
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
  });

  it.concurrent('is watched ever more seldom, and a deposit hours later is followed as closely as any', async () => {
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
  });

  it.concurrent('a second time, by a failure after a late deposit, is watched again and may still complete', async () => {
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
  });

  it.concurrent('by a failure is watched, and published as completed, late, when the execution succeeds after all', async () => {
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
  });
});
