import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { PrometheusText } from '../support/prometheus-text.ts';
import { RELAY_KEY, RelayStage, type QuotedPayment } from '../support/relay-stage.ts';
import { signedNotice } from '../../tools/relay-stand-in/notices.js';
import { jsonOf } from '../support/stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const PREVIOUS_KEY = 'relay-key-of-yesterday';
const WINDOW_MS = 300_000;
const MINUTE_MS = 60_000;
const SWEPT_WITHIN_MS = 20_000;
const FOUND = ['created', 'deposit_received'];
/** Nobody polls within a test: what is known by then was found by reconciliation or reported by a notice. */
const RARELY = { POLL_INTERVAL_MS: '600000' };

let stage: RelayStage;
let app: SharedService;
/** Beside it, and takes no notices. */
let deaf: SharedService;
let url: string;

beforeAll(async () => {
  stage = await RelayStage.open();
  [app, deaf] = await Promise.all([
    stage.startWarm({ ...RARELY, RELAY_API_KEY_PREVIOUS: PREVIOUS_KEY }),
    stage.startWarm({ ...RARELY, RELAY_WEBHOOK: 'false' }),
  ]);
  url = `${app.url}/provider/relay/webhook`;
  await stage.addShop(app);
});

/** A payment after its first poll, which Relay has seen paid since. */
async function paidUnseen(): Promise<QuotedPayment> {
  const payment = await stage.quoted(app);
  await jsonOf(await app.fetch(`/api/status/${payment.quoteId}`), 200);
  stage.relay.lives.deposit(payment.address);
  return payment;
}

async function counted(outcome: string): Promise<number> {
  const text = new PrometheusText(await (await app.fetch('/metrics')).text());
  return text.value('paybell_provider_notices_total', { provider: 'relay', outcome }) ?? 0;
}

async function statusOf({ quoteId }: QuotedPayment): Promise<unknown> {
  return (await jsonOf(await app.fetch(`/api/payments/${quoteId}`), 200))['status'];
}

describe('without notices and long before the next poll', () => {
  it('reconciliation finds what has changed, polls nothing else, and one of two replicas does it', async () => {
    const payments = await Promise.all(Array.from({ length: 6 }, () => stage.quoted(app)));
    for (const { quoteId } of payments) await jsonOf(await app.fetch(`/api/status/${quoteId}`), 200);
    const [changed, ...others] = payments;
    if (changed === undefined) throw new Error('no payment');
    const before = others.map((payment) => stage.readsOf(payment).length);
    const words = [...FOUND, 'completed'];
    stage.relay.lives.deposit(changed.address);
    await stage.published(deaf, changed.quoteId, FOUND, SWEPT_WITHIN_MS);
    stage.relay.lives.settle(changed.address);
    await stage.published(deaf, changed.quoteId, words, SWEPT_WITHIN_MS);
    expect(others.map((payment) => stage.readsOf(payment).length)).toEqual(before);
    const sweptAt = stage.relay.requests.flatMap(({ query, at }) => (query['apiKey'] ? at.getTime() : []));
    const gaps = sweptAt.slice(1).map((time, index) => time - (sweptAt[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(3_000);
  }, 60_000);
});

describe('RELAY_WEBHOOK=false', () => {
  it('leaves nobody there to take a notice', async () => {
    const payment = await paidUnseen();
    expect(await stage.relay.notify(`${deaf.url}/provider/relay/webhook`, payment.address)).toBe(404);
    expect(await deaf.stop()).toBe(0);
  });
});

describe('a signed notice', () => {
  beforeAll(() => stage.stopSweeps());

  it.each<[how: string, given: Parameters<RelayStage['relay']['notify']>[2], agoMs?: number]>([
    ['in milliseconds', {}],
    ['signed with the key from before the change', { key: PREVIOUS_KEY }],
  ])('%s has its payment polled now, long before the next poll, and by one poll', async (_how, options) => {
    const payment = await paidUnseen();
    const { length: before } = stage.readsOf(payment);
    const accepted = await counted('accepted');
    expect(await stage.relay.notify(url, payment.address, options)).toBe(200);
    await stage.published(app, payment.quoteId, FOUND);
    expect(stage.readsOf(payment)).toHaveLength(before + 1);
    expect(await counted('accepted')).toBe(accepted + 1);
  });

  it('of every change, three times each and out of order, makes each change one event, in order', async () => {
    const payments = await Promise.all(Array.from({ length: 5 }, () => stage.quoted(app)));
    for (const { quoteId } of payments) await jsonOf(await app.fetch(`/api/status/${quoteId}`), 200);
    const sender = stage.relay.notifyEach(url, { copies: 3, isShuffled: true });
    const moves = ['deposit', 'sweep', 'settle'] as const;
    const words = ['created', 'deposit_received', 'executing', 'completed'];
    for (const [index, move] of moves.entries()) {
      for (const { address } of payments) stage.relay.lives[move](address);
      for (const { quoteId } of payments) await stage.published(app, quoteId, words.slice(0, index + 2));
    }
    await sender.settled();
    sender.stop();
    expect(new Set(sender.answers)).toEqual(new Set([200]));
    for (const { quoteId } of payments) await stage.published(app, quoteId, words);
  });

  it('that says what is not so writes nothing: what is true is read from Relay', async () => {
    const payment = await stage.quoted(app);
    await jsonOf(await app.fetch(`/api/status/${payment.quoteId}`), 200);
    const { length: before } = stage.readsOf(payment);
    const { id } = stage.relay.row(payment.address);
    const depositAddress = { address: payment.address, depositTxHash: `0x${'1'.repeat(64)}` };
    const data = {
      requestId: id,
      status: 'success',
      updatedAt: Date.now(),
      depositAddress,
      txHashes: ['0x1'],
    };
    const notice = signedNotice({ event: 'request.status.updated', data }, { key: RELAY_KEY });
    expect((await fetch(url, { method: 'POST', ...notice })).status).toBe(200);
    await waitFor(() => stage.readsOf(payment).length === before + 1);
    await waitFor(
      async () => (await jsonOf(await app.fetch(`/api/payments/${payment.quoteId}`), 200))['lastPolledAt'],
    );
    expect(await statusOf(payment)).toBe('AWAITING_DEPOSIT');
    await stage.published(app, payment.quoteId, ['created']);
  });
});

describe('a notice that Relay did not sign', () => {
  it.each<[how: string, given: Parameters<RelayStage['relay']['notify']>[2], agoMs?: number]>([
    ['with a byte more', { tamper: 'body' }],
    ['lately', {}, WINDOW_MS + MINUTE_MS],
  ])('%s is refused with 401, counted, and changes nothing', async (_how, given, agoMs = 0) => {
    const options = { ...given, at: new Date(Date.now() - agoMs) };
    const payment = await paidUnseen();
    const [refused, { length: before }] = [await counted('refused'), stage.reads];
    expect(await stage.relay.notify(url, payment.address, options)).toBe(401);
    expect(await counted('refused')).toBe(refused + 1);
    expect(await statusOf(payment)).toBe('AWAITING_DEPOSIT');
    expect(stage.reads).toHaveLength(before);
    expect(app.lines.filter((line) => line.includes(RELAY_KEY) || line.includes(PREVIOUS_KEY))).toEqual([]);
  });
});
