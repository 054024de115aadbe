import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import type { ScriptedAnswer } from '../../tools/testkit/http-receiver.ts';
import { CHAINS, quoteRequest } from '../../tools/testkit/provider-objects.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { arrivalsAt, firstArrivals, storyOf, waitForStories } from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const SHORT = { PROVIDER_TIMEOUT_MS: '700' };
const JSON_HEADERS = { 'content-type': 'application/json' };
const HTML = '<html><body><h1>502 Bad Gateway</h1></body></html>';

let stage: Stage;
let app: SharedService;

beforeAll(async () => {
  stage = await Stage.open();
  stage.provider.fail({ status: 500 });
  app = await stage.startWarm(SHORT);
  await stage.addShop(app);
});

afterEach(async () => {
  stage.provider.recover();
  await stage.provider.up();
});

describe('a provider that has never answered', () => {
  it('has no chains for who asks first, and gives them once it answers', async () => {
    expect(await jsonOf(await app.fetch('/api/chains'), 503)).toMatchObject({
      code: 'provider_unavailable',
    });
    stage.provider.recover();
    expect(await jsonOf(await app.fetch('/api/chains'), 200)).toEqual({ success: true, chains: CHAINS });
  });
});

/** The three requests that reach the provider at once; chains are answered from memory. */
const ASKED: [string, () => Promise<Response>][] = [
  ['a quote', () => app.fetch('/api/quote', { method: 'POST', body: quoteRequest() })],
  ['a status', () => app.fetch(`/api/status/${crypto.randomUUID()}`)],
  ['a search', () => app.fetch('/api/currencies', { method: 'POST', body: { term: 'usdc' } })],
  ['a track', () => app.fetch('/api/payments', { method: 'POST', body: { quoteId: crypto.randomUUID() } })],
];

describe.each(ASKED)('%s', (what, ask) => {
  it("passes the provider's refusal through, hides its key, and turns what is no answer into a 503", async () => {
    const isUnknown = what === 'a status' || what === 'a track';
    const refusal = (status: number, error: string): ScriptedAnswer => ({
      status,
      headers: JSON_HEADERS,
      body: JSON.stringify({ success: false, error }),
    });
    stage.provider.fail(refusal(404, 'refused'));
    const code = isUnknown ? 'unknown_payment' : 'provider_refused';
    expect(await jsonOf(await ask(), 404)).toMatchObject({ success: false, code });
    stage.provider.fail(refusal(401, 'Invalid API key provider-key-of-the-stage'));
    const text = JSON.stringify(await jsonOf(await ask(), 502));
    expect(text).toContain('"provider_credentials"');
    expect(text).not.toContain('provider-key-of-the-stage');
    for (const failure of [refusal(500, 'secret inner words'), 'hang', 'down'] as const) {
      if (failure === 'down') await stage.provider.down();
      else stage.provider.fail(failure);
      const answer = await ask();
      expect(JSON.stringify(await jsonOf(answer, 503))).not.toContain('secret inner words');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });
});

describe('an address without a payment API', () => {
  it.each(ASKED)('is a 502 to %s, and a status stays unknown', async (what, ask) => {
    stage.provider.fail({ status: 404, headers: { 'content-type': 'text/html' }, body: HTML });
    const isStatus = what === 'a status' || what === 'a track';
    expect(await jsonOf(await ask(), isStatus ? 404 : 502)).toMatchObject({
      code: isStatus ? 'unknown_payment' : 'provider_misconfigured',
      success: false,
    });
    if (isStatus) return;
    const path = what === 'a quote' ? '/api/quote' : '/api/currencies';
    const line = `POST ${stage.provider.url}${path} answered 404. Check PROVIDER_BASE_URL (without /api).`;
    await waitFor(() => app.lines.some((each) => each.includes(line)), { what: line });
  });
});

describe('a provider in trouble', () => {
  it('costs no payment: nothing of a failed quote is stored', async () => {
    const before = await stage.countPayments();
    stage.provider.fail({ status: 500 });
    expect((await app.fetch('/api/quote', { method: 'POST', body: quoteRequest() })).status).toBe(503);
    stage.provider.quoteWith({ quoteId: undefined });
    stage.provider.recover();
    expect((await app.fetch('/api/quote', { method: 'POST', body: quoteRequest() })).status).toBe(503);
    stage.provider.quoteWith({});
    expect(await stage.countPayments()).toBe(before);
  });

  it('leaves the chains as they were known', async () => {
    expect(await jsonOf(await app.fetch('/api/chains'), 200)).toEqual({ success: true, chains: CHAINS });
    const asked = stage.provider.calls.count('/api/chains');
    await stage.provider.down();
    for (let call = 0; call < 5; call += 1)
      expect(await jsonOf(await app.fetch('/api/chains'), 200)).toEqual({ success: true, chains: CHAINS });
    expect(stage.provider.calls.count('/api/chains')).toBe(asked);
  });

  it.each<[string, ScriptedAnswer | 'hang' | 'reset' | 'down']>([
    ['is down', 'down'],
    ['answers 500', { status: 500 }],
    ['does not know our key', { status: 401 }],
    ['denies the payment', { status: 404, headers: JSON_HEADERS, body: '{"error":"Quote not found"}' }],
    ['hangs', 'hang'],
  ])('%s: the last report is still sent, and tracking resumes with nothing lost', async (_how, failure) => {
    const quoteIds = await stage.quotes(app, 5);
    stage.say(quoteIds, 'DEPOSIT_RECEIVED');
    await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 2);
    const asked = stage.provider.calls.all.length;
    if (failure === 'down') await stage.provider.down();
    else stage.provider.fail(failure);
    stage.say(quoteIds, 'COMPLETED');
    if (failure !== 'down') await waitFor(() => stage.provider.calls.all.length > asked + 5);
    const published = await jsonOf(await app.fetch(`/api/status/${quoteIds[0]}`), 200);
    expect(published['status']).toBe('DEPOSIT_RECEIVED');
    expect((await fetch(`${app.url}/health/ready`)).status).toBe(200);
    stage.provider.recover();
    await stage.provider.up();
    await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 3);
    const types = ['payment.created', 'payment.deposit_received', 'payment.completed'];
    const ours = arrivalsAt(stage.shop).filter(({ subject }) => quoteIds.includes(subject));
    expect(firstArrivals(ours)).toEqual(storyOf(quoteIds, types));
  });
});
