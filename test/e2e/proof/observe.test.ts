import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { newAddress } from '../../support/chain/witness.ts';
import { describeWith } from '../../support/describe-with.ts';
import { ProofStage } from '../../support/proof-stage.ts';
import { type PublishedEvent, wordOf } from '../../support/published-events.ts';
import type { SharedService } from '../../support/shared-process.ts';
import { jsonOf } from '../../support/stage.ts';

interface Verified {
  readonly verification: {
    readonly state: string;
    readonly txHash: string;
    readonly checks: readonly { readonly name: string; readonly passed: boolean | null }[];
    readonly sources: readonly string[];
  };
}

describeWith('anvil', 'with VERIFY=observe', (path) => {
  let stage: ProofStage;
  let app: SharedService;
  /** A token that the provider lists; its contract does not state its decimals. */
  let listed: string;
  beforeAll(async () => {
    stage = await ProofStage.open(path);
    listed = await stage.anvil.deploy('Token');
    stage.shop.provider.list({ chainId: 8453, address: listed, symbol: 'USDT', decimals: 6 });
    app = await stage.shop.startWarm(stage.env('observe', { DEPOSIT_UNSEEN_SECONDS: '1' }));
    await stage.shop.addShop(app);
  });
  afterAll(() => stage.close());

  /** A payment that the payer sends from the test's chain to a deposit address of its own; its quote expires in a minute. */
  async function unpaid(depositAddress = newAddress()): Promise<{ quoteId: string; recipient: string }> {
    const token = { address: stage.token, symbol: 'USDC', name: 'USD Coin', decimals: 6 };
    const send = { depositAddress, chain: { id: 8453, name: 'Base' }, token, amount: '25' };
    const { quoteId } = await stage.quote(app, {}, newAddress(), { send, expiresIn: 30 });
    stage.shop.provider.setStatus(quoteId, { depositAddress });
    return { quoteId, recipient: depositAddress };
  }

  function wordsOf(quoteId: string): string[] {
    return [...new Map(stage.arrivalsOf(quoteId).map((event) => [event.id, wordOf(event)])).values()];
  }

  it('deposits that the provider has not seen are told once, with transaction, amount and block, and change no status', async () => {
    const payment = await unpaid();
    const { txHash, blockNumber } = await stage.pay(payment);
    await stage.soon(() => wordsOf(payment.quoteId).length > 1);
    const [, anomaly] = await stage.published(app, payment, [
      'created',
      'anomaly deposit_unseen_by_provider',
    ]);
    expect(anomaly?.data).toMatchObject({
      status: 'AWAITING_DEPOSIT',
      deposit: { chainId: 8453, txHash, amount: '25', amountRaw: '25000000', block: blockNumber },
    });
    const { items } = (await jsonOf(await app.fetch('/api/attention'), 200)) as { items: { code: string }[] };
    expect(items.map(({ code }) => code)).toContain('deposits_unseen');
  });

  it('the watch of such a payment goes on: each part is told with the sum so far, and no dust', async () => {
    const payment = await unpaid();
    const anomaly = 'anomaly deposit_unseen_by_provider';
    await stage.pay(payment, 249_999n);
    await stage.pay(payment, 10_000_000n);
    await stage.published(app, payment, ['created', anomaly]);
    await stage.pay(payment, 15_000_000n);
    const events = await stage.published(app, payment, ['created', anomaly, anomaly]);
    const deposits = events.flatMap(({ data }) => (data as { deposit?: object }).deposit ?? []);
    expect(deposits).toMatchObject([
      { amount: '10', sum: '10', sumRaw: '10000000', wrongToken: false },
      { amount: '15', sum: '25', sumRaw: '25000000', token: stage.token },
    ]);
  });

  it('a token that the provider lists and that was not asked for is told, and what another payment reports is not', async () => {
    const [paid, payment] = [await unpaid(), await unpaid()];
    const shared = await unpaid(paid.recipient);
    const { txHash } = await stage.pay(paid);
    const deposit = { txHash, amount: '25' };
    stage.shop.provider.setStatus(paid.quoteId, { status: 'DEPOSIT_RECEIVED', deposit });
    await stage.published(app, paid, ['created', 'deposit_received']);
    const mistake = await stage.pay(payment, 7_000_000n, listed);
    const own = await stage.pay(shared, 26_000_000n);
    for (const [of, expected] of [
      [payment, { txHash: mistake.txHash, token: listed, wrongToken: true, amount: null, sumRaw: '0' }],
      [shared, { txHash: own.txHash, wrongToken: false, amount: '26', sumRaw: '26000000' }],
    ] as const) {
      const [, anomaly] = await stage.published(app, of, ['created', 'anomaly deposit_unseen_by_provider']);
      expect(anomaly?.data).toMatchObject({ deposit: expected });
    }
  });

  it('such a deposit is found by the hash that a payer passed on, though the quote is far from its expiry', async () => {
    const payment = await unpaid();
    await stage.shop.database.query(`DELETE FROM deposit_watch`);
    const { txHash } = await stage.pay(payment);
    const passed = await app.fetch(`/api/payments/${payment.quoteId}/deposit`, {
      method: 'POST',
      body: { txHash },
    });
    expect(passed.status).toBe(202);
    await stage.published(app, payment, ['created', 'anomaly deposit_unseen_by_provider']);
  });

  it('there is no such deposit where the provider reports them in its time', async () => {
    const payment = await unpaid();
    await stage.shop.database.query(
      `DELETE FROM deposit_watch w USING payment p WHERE p.id = w.payment_id AND p.quote_id <> $1`,
      [payment.quoteId],
    );
    await stage.pay(payment);
    stage.say(payment, 'DEPOSIT_RECEIVED');
    await stage.soon(
      async () => (await stage.shop.database.query('SELECT 1 FROM deposit_watch')).length === 0,
    );
    await stage.published(app, payment, ['created', 'deposit_received']);
  });

  it('payment.verified follows payment.completed, with each check, and never the URL of the RPC', async () => {
    const payment = await stage.quote(app);
    const { txHash } = await stage.pay(payment);
    stage.say(payment, 'COMPLETED', txHash);
    const events = await stage.published(app, payment, ['created', 'completed', 'verified']);
    const { verification } = (events.at(-1) as PublishedEvent).data as unknown as Verified;
    expect(verification).toMatchObject({ state: 'proven', chainId: 8453, txHash, sources: ['127.0.0.1'] });
    expect(verification.checks.map(({ passed }) => passed)).toEqual(Array(8).fill(true));
    expect(await stage.stateOf(app, payment)).toBe('proven');
    const status = await jsonOf(await app.fetch(`/api/status/${payment.quoteId}`), 200);
    expect(status).toMatchObject({ status: 'COMPLETED', verification: { state: 'proven' } });
    expect(JSON.stringify([status, events])).not.toContain(stage.anvil.url);
  });

  it('payment.anomaly follows where the chain shows less, and the status stands', async () => {
    const payment = await stage.quote(app);
    const { txHash } = await stage.pay(payment, 24_899_999n);
    stage.say(payment, 'COMPLETED', txHash);
    await stage.published(app, payment, ['created', 'completed', 'anomaly amount_short']);
    expect(await jsonOf(await app.fetch(`/api/payments/${payment.quoteId}`), 200)).toMatchObject({
      status: 'COMPLETED',
      verification: { state: 'contradicted' },
    });
    const list = await jsonOf(await app.fetch('/api/payments?verification=contradicted'), 200);
    expect(list).toMatchObject({ data: [{ quoteId: payment.quoteId }] });
    const csv = await app.fetch('/api/payments?verification=contradicted', {
      headers: { accept: 'text/csv' },
    });
    expect(await csv.text()).toMatch(/,verification,completedBy,.*\r\n.*,contradicted,word,.*\r\n$/);
  });

  it('an output whose transaction the provider does not name is found', async () => {
    const payment = await stage.quote(app);
    await stage.pay(payment);
    stage.say(payment, 'COMPLETED');
    await stage.published(app, payment, ['created', 'completed', 'verified']);
  });

  it('a proof in a young block is looked at again, and a reorganisation is told', async () => {
    const payment = await stage.quote(app);
    const snapshot = await stage.anvil.call<string>('evm_snapshot');
    const { txHash } = await stage.anvil.transfer(stage.token, payment.recipient, 25_000_000n);
    await stage.anvil.mine(3);
    stage.say(payment, 'COMPLETED', txHash);
    await stage.published(app, payment, ['created', 'completed', 'verified']);
    await stage.anvil.call('evm_revert', snapshot);
    await stage.anvil.mine(200);
    const words = ['created', 'completed', 'verified', 'anomaly output_reorged'];
    await stage.published(app, payment, words);
  });
});
