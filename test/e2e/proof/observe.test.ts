import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { describeWith } from '../../support/describe-with.ts';
import { ProofStage } from '../../support/proof-stage.ts';
import type { PublishedEvent } from '../../support/published-events.ts';
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
  beforeAll(async () => {
    stage = await ProofStage.open(path);
    app = await stage.shop.startWarm(stage.env('observe', { DEPOSIT_UNSEEN_SECONDS: '1' }));
    await stage.shop.addShop(app);
  });
  afterAll(() => stage.close());

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
    expect(await csv.text()).toMatch(/,verification\r\n.*,contradicted\r\n$/);
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
