import { beforeAll, describe, expect, it } from '@jest/globals';

import type { PaybellService } from '../../../tools/testkit/paybell-process.ts';
import { jsonOf, Stage } from '../../support/stage.ts';

/** The chain on which quotes pay out, unless stated otherwise, and another chain. */
const BASE = 8453;
const OPTIMISM = 10;

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});

/** Starts a Paybell whose RPCs never answer: only the chains that CHAIN_RPC names matter. */
function start(verify: string, chainId: number, more: Record<string, string> = {}): Promise<PaybellService> {
  const CHAIN_RPC = `${chainId}=http://127.0.0.1:1`;
  return stage.startWarm({ VERIFY: verify, CHAIN_RPC, CHAIN_RPC_ALLOWED_CIDRS: '127.0.0.0/8', ...more });
}

/** Returns the final status of a payment whose provider has reported COMPLETED. */
async function completes(
  app: PaybellService,
  quoteId: string,
  ...words: string[]
): Promise<readonly unknown[]> {
  stage.say([quoteId], 'COMPLETED');
  await stage.published(app, quoteId, ['created', ...words, 'completed']);
  const { status, verification } = await jsonOf(await app.fetch(`/api/payments/${quoteId}`), 200);
  return [status, verification];
}

describe('a payout on a chain without an RPC', () => {
  it('is refused with VERIFY=require: 422, no payment, and no quote of the provider', async () => {
    const app = await start('require', OPTIMISM);
    const asked = stage.provider.requests.length;
    const answer = await stage.askQuote(app);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(await jsonOf(answer, 422)).toMatchObject({
      success: false,
      code: 'unprovable_chain',
      errors: [{ field: 'toChainId' }],
    });
    expect(await stage.countPayments()).toBe(0);
    const quotes = stage.provider.requests.slice(asked).filter(({ path }) => path.endsWith('/quote'));
    expect(quotes).toEqual([]);
    await stage.quote(app, { fromChainId: BASE, toChainId: OPTIMISM });
    await app.stop();
  });

  it('is quoted with VERIFY_UNPROVABLE=allow, and completes by the word of the provider', async () => {
    const app = await start('require', OPTIMISM, { VERIFY_UNPROVABLE: 'allow' });
    await stage.addShop(app);
    expect(await completes(app, await stage.quote(app), 'executing')).toMatchObject([
      'COMPLETED',
      { state: 'unverified', chainId: BASE },
    ]);
    await app.stop();
  });

  it('is quoted with VERIFY=observe, and its completion is told as ever', async () => {
    const app = await start('observe', OPTIMISM);
    expect(await completes(app, await stage.quote(app))).toMatchObject([
      'COMPLETED',
      { state: expect.stringMatching(/^(pending|unverified)$/) as unknown },
    ]);
    await app.stop();
  });
});
