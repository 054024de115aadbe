import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import type { PublishedEvent } from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

type Json = Record<string, unknown>;

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

/** Asks until the provider was polled for an answer with this status: within a second of a poll, a refresh asks for nothing. */
async function refresh(quoteId: string, status: number): Promise<Json> {
  const before = pollsOf(quoteId);
  const answer = await waitFor(
    async () => {
      const got = await app.fetch(`/api/payments/${quoteId}/refresh`, { method: 'POST' });
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
    timeoutMs: 20_000,
    what: `${times} more polls of ${quoteId}`,
  });
}

describe('a stall', () => {
  onStage({ STALLED_AFTER_SECONDS: '1' });

  async function lastTold(quoteId: string, words: readonly string[]): Promise<PublishedEvent> {
    const event = (await published(quoteId, words)).at(-1);
    if (event === undefined) throw new Error('nothing was published');
    return event;
  }

  it('without progress after the deposit is published once, and once more only after progress', async () => {
    const quoteId = await stage.quote(app);
    stage.say([quoteId], 'EXECUTING');
    const stalled = ['created', 'executing', 'stalled no_progress'];
    const { data, time } = await lastTold(quoteId, stalled);
    expect(data).toMatchObject({ status: 'EXECUTING', payment: { status: 'EXECUTING', quoteId } });
    await waitFor(() => stage.provider.calls.polls(quoteId).some((at) => at > Date.parse(time) + 1_500));
    await published(quoteId, stalled);
    stage.provider.setStatus(quoteId, { gas: { amount: '0.1' } });
    await published(quoteId, [...stalled, 'updated', 'stalled no_progress']);
    stage.say([quoteId], 'COMPLETED');
    await published(quoteId, [...stalled, 'updated', 'stalled no_progress', 'completed']);
  });

  it('of a provider that reports about another quote: refused, polled on, published once, and healed', async () => {
    const [quoteId, other] = [await stage.quote(app), await stage.quote(app)];
    await polledAgain(quoteId, 1);
    stage.provider.setStatus(quoteId, { quoteId: other, status: 'COMPLETED', mark: 'foreign' });
    const silent = ['created', 'stalled provider_silent'];
    const event = await lastTold(quoteId, silent);
    expect(event.data).toMatchObject({ status: 'AWAITING_DEPOSIT', previousStatus: 'AWAITING_DEPOSIT' });
    expect(event.data.payment).toMatchObject({ quoteId, status: 'AWAITING_DEPOSIT' });
    await polledAgain(quoteId, 1);
    expect(await refresh(quoteId, 503)).toMatchObject({ code: 'provider_unavailable' });
    await published(quoteId, silent);
    expect(await reported(quoteId)).toEqual(event.data.payment);
    expect(await shown(quoteId)).toMatchObject({ status: 'AWAITING_DEPOSIT', tracking: 'active' });
    stage.provider.setStatus(quoteId, { quoteId, status: 'COMPLETED' });
    await refresh(quoteId, 200);
    await published(quoteId, [...silent, 'completed']);
    await published(other, ['created']);
  });

  it('of a provider that does not know the payment any more ends nothing, and is published again after it answered', async () => {
    const quoteId = await stage.quote(app);
    await polledAgain(quoteId, 1);
    stage.provider.forget(quoteId);
    const silent = ['created', 'stalled provider_silent'];
    await published(quoteId, silent);
    expect(await refresh(quoteId, 404)).toMatchObject({ code: 'provider_refused' });
    await published(quoteId, silent);
    expect(await shown(quoteId)).toMatchObject({ status: 'AWAITING_DEPOSIT', tracking: 'active' });
    stage.provider.setStatus(quoteId, {});
    await refresh(quoteId, 200);
    await polledAgain(quoteId, 2);
    stage.provider.forget(quoteId);
    await published(quoteId, [...silent, 'stalled provider_silent']);
    stage.provider.setStatus(quoteId, { status: 'COMPLETED' });
    await refresh(quoteId, 200);
    await published(quoteId, [...silent, 'stalled provider_silent', 'completed']);
  });

  it('of a provider that fails for all is published once for each payment, and all goes on when it is back', async () => {
    const quoteIds = await stage.quotes(app, 3);
    for (const quoteId of quoteIds) await polledAgain(quoteId, 1);
    stage.provider.fail({ status: 500 });
    const silent = ['created', 'stalled provider_silent'];
    for (const quoteId of quoteIds) await published(quoteId, silent);
    stage.provider.recover();
    stage.say(quoteIds, 'COMPLETED');
    for (const quoteId of quoteIds) await published(quoteId, [...silent, 'completed']);
  });
});

describe('the end of the late watch', () => {
  onStage({ LATE_WATCH_SECONDS: '2' });

  it.concurrent('still finds, by its last poll and without being asked, a deposit after the expiry', async () => {
    const quoteId = await stage.quote(app);
    // Whatever the machine does in between: the poll after the one that sees EXPIRED sees the deposit.
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

  it.concurrent('stays closed after a refresh that finds it as it was', async () => {
    const quoteId = await stage.quote(app);
    stage.say([quoteId], 'EXPIRED');
    await waitFor(async () => (await shown(quoteId))['tracking'] === 'closed');
    expect(await refresh(quoteId, 200)).toMatchObject({
      status: 'EXPIRED',
      tracking: 'closed',
      nextPollAt: null,
    });
    await published(quoteId, ['created', 'expired']);
  });

  it.concurrent('never comes by the clock: past its expiresAt a payment stays as the provider says, and is polled', async () => {
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
  });
});

describe('a poll of the late watch, whose next one is hours away', () => {
  onStage({});

  it('is made again soon after a kill -9, and finds the late completion', async () => {
    const quoteId = await stage.quote(app);
    stage.say([quoteId], 'FAILED');
    await published(quoteId, ['created', 'failed']);
    stage.provider.fail('hang', quoteId);
    await stage.database.query(
      `UPDATE payment_schedule SET interval_ms = 7200000, due_at = now() WHERE quote_id = $1`,
      [quoteId],
    );
    await polledAgain(quoteId, 1);
    await app.kill9();
    stage.provider.recover();
    stage.say([quoteId], 'COMPLETED');
    app = await stage.startWarm();
    const [, , completed] = await published(quoteId, ['created', 'failed', 'completed late']);
    expect(completed?.data).toMatchObject({ previousStatus: 'FAILED' });
  });
});
