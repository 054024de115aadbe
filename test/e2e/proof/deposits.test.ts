import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { newAddress } from '../../support/chain/witness.ts';
import { describeWith } from '../../support/describe-with.ts';
import { ProofStage } from '../../support/proof-stage.ts';
import { wordOf } from '../../support/published-events.ts';
import type { SharedService } from '../../support/shared-process.ts';
import { jsonOf } from '../../support/stage.ts';

describeWith('anvil', 'deposits that the provider has not seen', (path) => {
  let stage: ProofStage;
  let app: SharedService;
  beforeAll(async () => {
    stage = await ProofStage.open(path);
    app = await stage.shop.startWarm(stage.env('observe', { DEPOSIT_UNSEEN_SECONDS: '1' }));
    await stage.shop.addShop(app);
  });
  afterAll(() => stage.close());

  /** A payment that a payer sends from the chain of the test, to an address of its own; it expires in a minute. */
  async function unpaid(): Promise<{ quoteId: string; recipient: string }> {
    const depositAddress = newAddress();
    const token = { address: stage.token, symbol: 'USDC', name: 'USD Coin', decimals: 6 };
    const send = { depositAddress, chain: { id: 8453, name: 'Base' }, token, amount: '25' };
    const { quoteId } = await stage.quote(app, {}, newAddress(), { send, expiresIn: 30 });
    stage.shop.provider.setStatus(quoteId, { depositAddress });
    return { quoteId, recipient: depositAddress };
  }

  function wordsOf(quoteId: string): string[] {
    return [...new Map(stage.arrivalsOf(quoteId).map((event) => [event.id, wordOf(event)])).values()];
  }

  it('are told once, with transaction, amount and block, and change no status', async () => {
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
    await stage.lookNow();
    expect(await stage.shop.database.query('SELECT 1 FROM deposit_watch')).toEqual([]);
    const { items } = (await jsonOf(await app.fetch('/api/attention'), 200)) as { items: { code: string }[] };
    expect(items.map(({ code }) => code)).toContain('deposits_unseen');
  });

  it('are found by the hash that a payer passed on, though the quote is far from its expiry', async () => {
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

  it('are none where the provider reports them in its time', async () => {
    const payment = await unpaid();
    await stage.pay(payment);
    stage.say(payment, 'DEPOSIT_RECEIVED');
    await stage.soon(
      async () => (await stage.shop.database.query('SELECT 1 FROM deposit_watch')).length === 0,
    );
    await stage.published(app, payment, ['created', 'deposit_received']);
  });
});
