import { describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { quoteRequest } from '../../tools/testkit/provider-objects.ts';
import { arrivalsAt, wordOf } from '../support/published-events.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { SANDBOX } from '../support/suites/sandbox-stories.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

function toldOf(stage: Stage, quoteId: string): string {
  return arrivalsAt(stage.shop)
    .filter(({ subject }) => subject === quoteId)
    .map(wordOf)
    .join(', ');
}

describe('the payer', () => {
  it('is the tester with SANDBOX_AUTOPAY=false', async () => {
    const stage = await Stage.open();
    const app = await stage.startWarm({ ...SANDBOX, SANDBOX_SPEED: '50', SANDBOX_AUTOPAY: 'false' });
    await stage.addShop(app);
    const [quoteId, other] = [await stage.quote(app, { amount: '1.05' }), await stage.quote(app)];
    const pay = (id: string, headers = {}) =>
      app.fetch(`/sandbox/payments/${id}/deposit`, { method: 'POST', headers });
    expect((await pay(quoteId, { 'x-api-key': 'wrong' })).status).toBe(401);
    expect((await pay(crypto.randomUUID())).status).toBe(404);
    expect(toldOf(stage, quoteId)).toMatch(/^(created)?$/);
    expect(await jsonOf(await pay(quoteId), 200)).toMatchObject({ quoteId });
    await waitFor(() => toldOf(stage, quoteId) === 'created, completed');
    await waitFor(() => toldOf(stage, other) === 'created, expired');
  });
});

describe('a Paybell in front of a sandbox Paybell', () => {
  it('speaks the spec on both sides', async () => {
    const [behind, before] = [await Stage.open(), await Stage.open()];
    const sandbox = await behind.startWarm({ ...SANDBOX, SANDBOX_SPEED: '40' });
    const upstream = {
      PROVIDER_BASE_URL: sandbox.url,
      PROVIDER_API_KEY: sandbox.apiKey,
      PROVIDER_AUTH: 'bearer',
    };
    const app = await before.startWarm(upstream);
    await before.addShop(app);
    const search = { method: 'POST', body: { term: 'USDC', chainIds: [1, 8453] } };
    for (const ask of [
      (at: SharedService) => at.fetch('/api/chains'),
      (at: SharedService) => at.fetch('/api/currencies', search),
    ])
      expect(await (await ask(app)).text()).toBe(await (await ask(sandbox)).text());
    const fails = await before.quote(app, { amount: '0.01', orderId: 'ours' });
    const goes = await before.quote(app, { amount: '0.05' });
    const unlike = await app.fetch('/api/quote', {
      method: 'POST',
      body: quoteRequest({ toToken: '0xnone' }),
    });
    expect([400, 404, 422]).toContain(unlike.status);
    await waitFor(
      () => toldOf(before, fails).endsWith(' failed') && toldOf(before, goes).endsWith(' completed'),
    );
    const [shown, upstreamShown] = await Promise.all(
      [app, sandbox].map(async (at) => jsonOf(await at.fetch(`/api/payments/${goes}`), 200)),
    );
    expect(shown?.['report']).toEqual(upstreamShown?.['report']);
    expect(shown?.['quote']).toEqual(upstreamShown?.['quote']);
    expect(await jsonOf(await sandbox.fetch(`/api/payments/${fails}`), 200)).toMatchObject({ orderId: null });
  });
});
