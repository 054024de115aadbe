import { beforeAll, describe, expect, it } from '@jest/globals';

import type { AppProcess } from '../support/app-process.ts';
import { quoteRequest } from '../support/provider-objects.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { arrivalsAt, wordOf } from '../support/told-events.ts';
import { waitFor } from '../support/wait-for.ts';

/** What a story is about lasts for 15 s, at this speed 750 ms: three polls. */
const SANDBOX = {
  PROVIDER: 'sandbox',
  SANDBOX_SPEED: '20',
  POLL_INTERVAL_MS: '250',
  POLL_MIN_GAP_MS: '200',
};
/** The late story ends 375 s after the quote, in the sandbox's time. */
const LONGEST_MS = 30_000;

/** A short status may pass between two polls of a busy machine: such a step is in parentheses. */
const STORIES: [digits: string, what: string, told: RegExp][] = [
  ['00', 'the plain story', /^created (deposit_received )?(executing )?completed$/],
  ['01', 'a failure after the deposit', /^created (deposit_received )?(executing )?failed$/],
  ['02', 'nobody pays', /^created expired$/],
  ['03', 'a late deposit', /^created expired (deposit_received late )?(executing late )?completed late$/],
  ['04', 'an execution without end', /^created (deposit_received )?executing$/],
  ['05', 'straight to COMPLETED', /^created completed$/],
  ['06', 'an unknown status', /^created (deposit_received )?anomaly unknown_status executing completed$/],
  ['07', 'a step back', /^created (deposit_received )?executing anomaly went_back completed$/],
  ['08', 'an outage in the middle', /^created (deposit_received )?(executing )?completed$/],
];

function toldOf(stage: Stage, quoteId: string): string {
  return arrivalsAt(stage.shop)
    .filter(({ subject }) => subject === quoteId)
    .map(wordOf)
    .join(' ');
}

describe('the stories of the sandbox', () => {
  let stage: Stage;
  let app: AppProcess;
  const ids = new Map<string, string>();

  beforeAll(async () => {
    stage = await Stage.open();
    app = await stage.start(SANDBOX);
    await stage.addShop(app);
    for (const [digits] of STORIES) ids.set(digits, await stage.quote(app, { amount: `1.${digits}` }));
  });

  it.each(STORIES)(
    '…%s: %s',
    async (digits, _what, told) => {
      const quoteId = ids.get(digits) ?? '';
      await waitFor(() => told.test(toldOf(stage, quoteId)), {
        timeoutMs: LONGEST_MS,
        what: `${String(told)} of ${quoteId}`,
      }).catch((error: unknown) => {
        throw new Error(`${(error as Error).message}; told was: ${toldOf(stage, quoteId)}`);
      });
      const sequences = (await stage.eventsOf(app, quoteId)).map(({ data }) => data.sequence);
      expect(sequences).toEqual(sequences.map((_sequence, index) => index + 1));
    },
    LONGEST_MS + 5_000,
  );

  it('are over where they end, and go on being told where they do not', async () => {
    const shown = async (digits: string) =>
      jsonOf(await app.fetch(`/api/payments/${ids.get(digits) ?? ''}`), 200);
    expect(await shown('00')).toMatchObject({ status: 'COMPLETED', tracking: 'closed', late: false });
    expect(await shown('01')).toMatchObject({
      status: 'FAILED',
      tracking: 'watching',
      report: { error: expect.any(String) },
    });
    expect(await shown('02')).toMatchObject({ status: 'EXPIRED', tracking: 'watching' });
    expect(await shown('03')).toMatchObject({ status: 'COMPLETED', tracking: 'closed', late: true });
    expect(await shown('04')).toMatchObject({ status: 'EXECUTING', tracking: 'active' });
    const note = ((await shown('00'))['quote'] as { depositNote: string }).depositNote;
    expect(note).toMatch(/^SANDBOX - do not send funds\./);
    expect(stage.provider.requests).toHaveLength(0);
  });
});

describe('the payer', () => {
  it('is the tester with SANDBOX_AUTOPAY=false', async () => {
    const stage = await Stage.open();
    const app = await stage.start({ ...SANDBOX, SANDBOX_SPEED: '100', SANDBOX_AUTOPAY: 'false' });
    await stage.addShop(app);
    const [quoteId, other] = [await stage.quote(app, { amount: '1.05' }), await stage.quote(app)];
    const pay = (id: string, headers = {}) =>
      app.fetch(`/sandbox/payments/${id}/deposit`, { method: 'POST', headers });
    expect((await pay(quoteId, { 'x-api-key': 'wrong' })).status).toBe(401);
    expect((await pay(crypto.randomUUID())).status).toBe(404);
    expect(toldOf(stage, quoteId)).toMatch(/^(created)?$/);
    expect(await jsonOf(await pay(quoteId), 200)).toMatchObject({ quoteId });
    await waitFor(() => toldOf(stage, quoteId) === 'created completed');
    await waitFor(() => toldOf(stage, other) === 'created expired');
  });

  it('is nobody of ours in http mode: the deposit endpoint is not there', async () => {
    const stage = await Stage.open();
    const app = await stage.start();
    const quoteId = await stage.quote(app);
    const answer = await app.fetch(`/sandbox/payments/${quoteId}/deposit`, { method: 'POST' });
    expect(await jsonOf(answer, 404)).toMatchObject({ code: 'not_found' });
  });
});

describe('a Paybell in front of a sandbox Paybell', () => {
  it('speaks the spec on both sides', async () => {
    const [behind, before] = [await Stage.open(), await Stage.open()];
    const sandbox = await behind.start({ ...SANDBOX, SANDBOX_SPEED: '40' });
    const upstream = {
      PROVIDER_BASE_URL: sandbox.url,
      PROVIDER_API_KEY: sandbox.apiKey,
      PROVIDER_AUTH: 'bearer',
    };
    const app = await before.start(upstream);
    await before.addShop(app);
    const search = { method: 'POST', body: { term: 'USDC', chainIds: [1, 8453] } };
    for (const ask of [
      (at: AppProcess) => at.fetch('/api/chains'),
      (at: AppProcess) => at.fetch('/api/currencies', search),
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
