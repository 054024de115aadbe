import { isDeepStrictEqual } from 'node:util';

import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import type { PublishedEvent } from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

type Json = Record<string, unknown>;

/** The late watch takes hours: makes its next poll due now. */
const POLL_NOW = 'UPDATE payment_schedule SET interval_ms = 7200000, due_at = now() WHERE quote_id = $1';

/** Makes the payment have ended then. */
const A_DAY_LATER = `UPDATE payment SET ended_at = ended_at - interval '1 day' WHERE quote_id = $1`;

let stage: Stage;
let app: SharedService;

/** A stage with a shop, for the tests of one `describe`. */
function onStage(settings: Record<string, string>): void {
  beforeAll(async () => {
    stage = await Stage.open();
    app = await stage.startWarm(settings);
    await stage.addShop(app);
  });
}

function published(quoteId: string, words: readonly string[]): Promise<PublishedEvent[]> {
  return stage.published(app, quoteId, words);
}

async function shown(quoteId: string): Promise<Json> {
  return jsonOf(await app.fetch(`/api/payments/${quoteId}`), 200);
}

/** Refreshes until a poll has this status: within a second of a poll, a refresh sends no request. */
async function refresh(named: string, status: number, quoteId = named): Promise<Json> {
  const before = pollsOf(quoteId);
  const answer = await waitFor(
    async () => {
      const got = await app.fetch(`/api/payments/${named}/refresh`, { method: 'POST' });
      return pollsOf(quoteId) > before && got.status === status && got;
    },
    { everyMs: 100, what: `a refresh that asks the provider and is answered ${status}` },
  );
  return jsonOf(answer, status);
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
    what: `${times} more polls of ${quoteId}`,
  });
}

describe('the end of the late watch', () => {
  onStage({ LATE_WATCH_SECONDS: '2' });

  it.concurrent('still finds, by its last poll and without being asked, a deposit after the expiry', async () => {
    const quoteId = await stage.quote(app);
    // The poll that follows the one with EXPIRED sees the deposit, however slow the machine is.
    stage.provider.script(quoteId, [{ status: 'EXPIRED' }]);
    stage.say([quoteId], 'DEPOSIT_RECEIVED');
    await published(quoteId, ['created', 'expired', 'deposit_received late']);
    const [expiredAt = 0, depositAt = 0] = stage.provider.calls.polls(quoteId);
    expect(depositAt - expiredAt).toBeGreaterThan(1_000);
    stage.say([quoteId], 'COMPLETED');
    await published(quoteId, ['created', 'expired', 'deposit_received late', 'completed late']);
  });

  it.concurrent('closes the payment: no event, no more polls, but a refresh still asks, and takes what is new', async () => {
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

    expect(await refresh(quoteId, 200)).toMatchObject({
      status: 'DEPOSIT_RECEIVED',
      late: true,
      tracking: 'active',
    });
    await published(quoteId, ['created', 'expired', 'deposit_received late']);
    await polledAgain(quoteId, 2);
    stage.say([quoteId], 'COMPLETED');
    await published(quoteId, ['created', 'expired', 'deposit_received late', 'completed late']);
  });
});

describe('with the usual settings', () => {
  onStage({});

  describe('a payment', () => {
    it.concurrent('is asked for by a UUID in any letter case, wherever one is named', async () => {
      const quoteId = await stage.quote(app);
      const capital = quoteId.toUpperCase();
      expect(await reported(capital)).toMatchObject({ quoteId });
      expect(await shown(capital)).toMatchObject({ quoteId, sequence: 1 });
      stage.provider.setStatus(quoteId, { status: 'EXECUTING' });
      expect(await refresh(capital, 200, quoteId)).toMatchObject({ quoteId });
      const events = await published(quoteId, ['created', 'executing']);
      expect(await stage.eventsOf(app, capital)).toEqual(events);
      const fed = async (): Promise<unknown> =>
        (await jsonOf(await app.fetch(`/api/events?quoteId=${capital}`), 200))['data'];
      // An event is in the feed once no older transaction can still precede it.
      await waitFor(async () => isDeepStrictEqual(await fed(), events));
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
  });

  it('a completed payment is polled again by itself, and what the provider takes back is told, once and to the end', async () => {
    const quoteId = await stage.quote(app);
    const output = { outputTxHash: '0xfeed', output: { amount: '25' } };
    stage.provider.setStatus(quoteId, { status: 'COMPLETED', execution: output });
    await published(quoteId, ['created', 'completed']);
    expect(await shown(quoteId)).toMatchObject({ tracking: 'watching', nextPollAt: expect.any(String) });
    const told = ['created', 'completed', 'anomaly changed_after_completed'];
    const refunded = { ...output, refund: { amount: '24' } };
    stage.provider.setStatus(quoteId, { status: 'COMPLETED', execution: refunded });
    await stage.database.query(POLL_NOW, [quoteId]);
    const anomaly = (await published(quoteId, told)).at(-1);
    expect(anomaly?.data).toMatchObject({
      reason: 'changed_after_completed',
      status: 'COMPLETED',
      payment: { execution: refunded },
    });
    await stage.database.query(A_DAY_LATER, [quoteId]);
    await stage.database.query(POLL_NOW, [quoteId]);
    await waitFor(async () => (await shown(quoteId))['tracking'] === 'closed');
    await published(quoteId, told);
    expect(await shown(quoteId)).toMatchObject({ nextPollAt: null, report: { execution: refunded } });
  });

  it('a poll of the late watch whose next one is hours away is made again soon after a kill -9, and finds the late completion', async () => {
    const quoteId = await stage.quote(app);
    stage.say([quoteId], 'FAILED');
    await published(quoteId, ['created', 'failed']);
    stage.provider.fail('hang', quoteId);
    await stage.database.query(POLL_NOW, [quoteId]);
    await polledAgain(quoteId, 1);
    await app.kill9();
    stage.provider.recover();
    stage.say([quoteId], 'COMPLETED');
    app = await stage.startWarm();
    const [, , completed] = await published(quoteId, ['created', 'failed', 'completed late']);
    expect(completed?.data).toMatchObject({ previousStatus: 'FAILED' });
  });
});
