import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { RelayStage, type QuotedPayment } from '../support/relay-stage.ts';
import { jsonOf } from '../support/stage.ts';

const PREVIOUS_KEY = 'relay-key-of-yesterday';
const SWEPT_WITHIN_MS = 20_000;
const FOUND = ['created', 'deposit_received'];
/** No poll happens within a test: reconciliation or a notice finds each change. */
const RARELY = { POLL_INTERVAL_MS: '600000' };

let stage: RelayStage;
let app: SharedService;
/** A second service, which takes no notices. */
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

/** A payment after its first poll; since then Relay has seen its deposit. */
async function paidUnseen(): Promise<QuotedPayment> {
  const payment = await stage.quoted(app);
  await jsonOf(await app.fetch(`/api/status/${payment.quoteId}`), 200);
  stage.relay.lives.deposit(payment.address);
  return payment;
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
  });
});

describe('a signed notice', () => {
  beforeAll(() => stage.stopSweeps());

  it('with the key from before the change has its payment polled now, long before the next poll, and by one poll', async () => {
    const payment = await paidUnseen();
    const { length: before } = stage.readsOf(payment);
    expect(await stage.relay.notify(url, payment.address, { key: PREVIOUS_KEY })).toBe(200);
    await stage.published(app, payment.quoteId, FOUND);
    expect(stage.readsOf(payment)).toHaveLength(before + 1);
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
});
