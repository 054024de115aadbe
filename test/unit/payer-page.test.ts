import { randomBytes } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { SealedPayerLinks } from '../../src/database/secrets/sealed-payer-links.ts';
import { hashOf } from '../../src/features/api-keys/env-keys.ts';
import { PaymentStateStreams } from '../../src/features/events/payment-state-streams.ts';
import { Streams } from '../../src/features/events/streams.ts';
import { PayerAccess, payerViewOf } from '../../src/features/payer-page/payer-access.ts';
import { PayerGate, PayerPageSettings } from '../../src/features/payer-page/payer-gate.ts';
import { PayerLinksController } from '../../src/features/payer-page/payer-links.controller.ts';
import { PayerPageController } from '../../src/features/payer-page/payer-page.controller.ts';
import { PublicOrigin } from '../../src/platform/http/public-origin.ts';
import { RequestRate } from '../../src/platform/http/request-rate.ts';
import { DeliverySignals } from '../../src/platform/scheduling/delivery-signals.ts';
import { StateStreams } from '../../src/platform/http/state-streams.ts';
import { KnownKeys } from '../../src/ports/api-keys.ts';
import { type PayerLink, PayerLinks } from '../../src/ports/payer-links.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { EventStream } from '../support/event-stream.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { type Answer, FeatureApp } from '../support/feature-app.ts';
import { paymentToAdd } from '../support/payment-to-add.ts';
import { DEPOSIT_ADDRESS, quoteOf } from '../support/proof-texts.ts';

const KEY = randomBytes(32);
const SHOP = 'https://shop.example';
const QUOTE_ENDS = new Date('2026-11-20T12:05:00.000Z');
const VIEW = {
  address: DEPOSIT_ADDRESS,
  memo: null,
  amount: '25.1',
  token: { symbol: 'USDC', address: '0x0b2c639c533813f4aa9d7837caf62653d097ff85' },
  chain: { id: 10, name: 'Optimism' },
  expiresAt: QUOTE_ENDS.toISOString(),
  status: 'AWAITING_DEPOSIT',
  match: null,
};

/** The number of decryptions. */
class CountedLinks extends SealedPayerLinks {
  opened = 0;
  override open(token: string): PayerLink | null {
    this.opened += 1;
    return super.open(token);
  }
}

let app: FeatureApp;
let links: CountedLinks;
let signals: DeliverySignals;
let revoked: Set<string>;

beforeEach(async () => {
  links = new CountedLinks(KEY, null);
  revoked = new Set();
  // Its timers run: streams read the log after a while, too.
  signals = new DeliverySignals();
  const isKnown = async (hash: string) => !revoked.has(hash);
  app = new FeatureApp();
  await app.start(
    [PayerLinksController, PayerPageController],
    [
      PayerGate,
      PayerAccess,
      Streams,
      { provide: StateStreams, useClass: PaymentStateStreams },
      new PayerPageSettings([SHOP]),
      new PublicOrigin('https://pay.example'),
      { provide: DeliverySignals, useValue: signals },
      { provide: PayerLinks, useValue: links },
      {
        provide: KnownKeys,
        useValue: {
          keyOfHash: async (hash: string) => ((await isKnown(hash)) ? {} : null),
          isStillKnown: isKnown,
        },
      },
    ],
  );
  const quoteText = quoteOf('q-1');
  await app.payments.add(
    paymentToAdd('q-1', { quoteText, orderId: 'A-1', metadata: { shop: 'eu' }, expiresAt: QUOTE_ENDS }),
  );
  app.eventLog.append('payment.created');
});
afterEach(() => app.stop());

function ask(expiresIn?: unknown, quoteId = 'q-1', key = 'shop'): Promise<Answer> {
  return app.post(`/api/payments/${quoteId}/link`, { expiresIn }, { 'x-test-key': key });
}

async function path(quoteId = 'q-1', key = 'shop'): Promise<string> {
  return new URL((await ask(undefined, quoteId, key)).json.url).pathname;
}

function tokenOf(link: Partial<PayerLink>, by = links): string {
  const keyHash = hashOf('shop').toString('hex');
  const token = by.seal({
    quoteId: 'q-1',
    keyHash,
    expiresAt: new Date(app.clock.now().getTime() + 60_000),
    ...link,
  });
  return `/public/payments/${token}`;
}

describe("a payer's link", () => {
  it.each([
    ['a day after the quote expires', undefined, '2026-11-21T12:05:00.000Z'],
    ['when it is told', 60, '2026-11-20T12:01:00.000Z'],
    ['30 days from now at the latest', 2_592_000, '2026-12-20T12:00:00.000Z'],
  ])('ends %s', async (_when, expiresIn, expiresAt) => {
    const { status, headers, json } = await ask(expiresIn);
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(json).toEqual({
      url: expect.stringMatching(/^https:\/\/pay\.example\/public\/payments\/pbl_[\w.-]+$/),
      expiresAt,
    });
  });

  it('of an expired quote ends a day from now', async () => {
    app.clock.advance(3_600_000);
    expect((await ask()).json.expiresAt).toBe('2026-11-21T13:00:00.000Z');
  });

  it.each([[59], [2_592_001], [60.5], ['60'], [-1], [{}]])('is 400 with expiresIn %j', async (expiresIn) => {
    const { status, json } = await ask(expiresIn);
    expect([status, json.errors[0].field]).toEqual([400, 'expiresIn']);
  });

  it('is 404 for a payment that is not known', async () => {
    const { status, json } = await ask(undefined, 'q-2');
    expect([status, json.code]).toEqual([404, 'unknown_payment']);
  });

  it('shows what the payer must send and what became of it, and nothing else', async () => {
    const { status, headers, json, text } = await app.get(await path());
    expect([status, json]).toEqual([200, VIEW]);
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([
      'no-store',
      'no-referrer',
    ]);
    expect(text).not.toMatch(/q-1|A-1|eu/);
  });

  it('shows whether the right sum came', async () => {
    const payment = await app.payments.find('q-1');
    expect(payment && payerViewOf({ ...payment, match: 'underpaid' }).match).toBe('underpaid');
  });

  it('shows the memo of an address that needs one', async () => {
    const quote = JSON.parse(quoteOf('q-3')) as { send: object };
    const quoteText = JSON.stringify({ ...quote, send: { ...quote.send, depositMemo: '1234' } });
    await app.payments.add(paymentToAdd('q-3', { quoteText }));
    expect((await app.get(await path('q-3'))).json).toMatchObject({ memo: '1234', expiresAt: null });
  });

  it.each<[name: string, path: () => string | Promise<string>, status: number, code: string]>([
    ['that is made up', () => '/public/payments/pbl_v1.0a1b2c3d.AAAA.AAAA', 404, 'link_not_found'],
    ['that is none', () => '/public/payments/q-1', 404, 'link_not_found'],
    ['that is too long', () => `/public/payments/pbl_${'a'.repeat(5_000)}`, 404, 'link_not_found'],
    [
      'of another installation',
      () => tokenOf({}, new CountedLinks(randomBytes(32), null)),
      404,
      'link_not_found',
    ],
    [
      'that is percent-encoded, so that the log would show it',
      async () => (await path()).replace('pbl', '%70bl'),
      404,
      'link_not_found',
    ],
    ['that has expired', () => tokenOf({ expiresAt: app.clock.now() }), 410, 'link_expired'],
    ['of a payment that retention has removed', () => tokenOf({ quoteId: 'q-9' }), 404, 'link_not_found'],
  ])('%s is refused', async (_name, pathOf, status, code) => {
    app.payments.removed.add('q-9');
    const refused = await pathOf();
    for (const each of [refused, `${refused}/stream`]) {
      const answer = await app.get(each, { origin: SHOP });
      expect([answer.status, answer.json.code]).toEqual([status, code]);
      expect(answer.headers.get('access-control-allow-origin')).toBe(SHOP);
    }
  });

  it('ends with the key that made it, whatever its name, and with no other', async () => {
    const [ours, theirs] = [await path('q-1', 'ours'), await path('q-1', 'theirs')];
    revoked.add(hashOf('ours').toString('hex'));
    const answers = await Promise.all([ours, theirs].map((each) => app.get(each)));
    expect(answers.map(({ status }) => status)).toEqual([404, 200]);
  });

  it('opens while ENCRYPTION_KEY_PREVIOUS is the key that sealed it, and no longer', () => {
    const link = { quoteId: 'q-1', keyHash: 'ab'.repeat(32), expiresAt: QUOTE_ENDS };
    const token = links.seal(link);
    const next = randomBytes(32);
    expect(new SealedPayerLinks(next, KEY).open(token)).toEqual(link);
    expect(new SealedPayerLinks(next, null).open(token)).toBeNull();
  });
});

describe('pages of other origins', () => {
  it.each([
    ['GET', SHOP, SHOP],
    ['HEAD', SHOP, SHOP],
    ['OPTIONS', SHOP, SHOP],
    ['GET', 'https://shop.example.evil', null],
    ['OPTIONS', 'http://shop.example', null],
    ['GET', 'null', null],
  ])('%s from %s is allowed %s', async (method, origin, allowed) => {
    const { status, headers } = await fetch(`${app.url}${await path()}`, { method, headers: { origin } });
    expect([status, headers.get('vary')?.toLowerCase()]).toEqual([
      method === 'OPTIONS' ? 204 : 200,
      'origin',
    ]);
    expect(headers.get('access-control-allow-origin')).toBe(allowed);
    expect(headers.has('access-control-allow-methods')).toBe(method === 'OPTIONS' && allowed !== null);
    expect(headers.has('access-control-allow-credentials')).toBe(false);
  });
});

describe('requests without a key', () => {
  it('are refused before their token is decrypted once one address sends too many', async () => {
    const statuses: number[] = [];
    for (let each = 0; each < 130; each += 1)
      statuses.push((await app.get('/public/payments/pbl_guess')).status);
    expect(statuses).toEqual([...Array<number>(120).fill(404), ...Array<number>(10).fill(429)]);
    expect(links.opened).toBe(120);
    const { headers, json } = await app.get(await path(), { origin: SHOP });
    expect([json.code, headers.get('retry-after')]).toEqual(['too_many_requests', '1']);
    expect(headers.get('access-control-allow-origin')).toBe(SHOP);
    app.clock.advance(500);
    expect((await app.get(await path())).status).toBe(200);
  });

  it('are counted by client, of a bounded number of clients', () => {
    const clock = new FakeClock();
    const rate = new RequestRate(clock.timers, { inARow: 2, oneEachMs: 1_000 }, 2);
    expect(['a', 'a', 'a', 'b'].map((client) => rate.take(client))).toEqual([0, 0, 1_000, 0]);
    clock.advance(999);
    expect(rate.take('a')).toBe(1);
    // With a third client, the rate forgets the one that was seen least recently.
    expect(['c', 'a'].map((client) => rate.take(client))).toEqual([0, 0]);
  });
});

describe("the stream of a payer's link", () => {
  beforeEach(() => void app.eventLog.append('payment.updated', 'q-2'));

  async function open(link: string): Promise<EventStream> {
    return EventStream.open(`${app.url}${link}/stream`, { origin: SHOP });
  }

  function change(quoteId: string, status: 'COMPLETED' | 'EXPIRED'): void {
    const row = app.payments.rows.get(quoteId);
    if (row !== undefined) row.payment = { ...row.payment, status };
    app.eventLog.append('payment.updated', quoteId);
    signals.streams.wake();
  }

  it('sends the payment at once and after each change, without a name or an id', async () => {
    const stream = await open(await path());
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': SHOP,
    });
    await waitFor(() => stream.events.length === 1);
    change('q-2', 'EXPIRED');
    change('q-1', 'COMPLETED');
    await waitFor(() => stream.events.length === 2);
    expect(stream.events.map(({ id, type, data }) => [id, type, JSON.parse(data)])).toEqual([
      ['', 'message', VIEW],
      ['', 'message', { ...VIEW, status: 'COMPLETED' }],
    ]);
  });

  it('ends once the key of its link is revoked, or its payment is removed', async () => {
    const [ours, kept] = [await open(await path('q-1', 'ours')), await open(await path())];
    revoked.add(hashOf('ours').toString('hex'));
    await waitFor(() => ours.isEnded);
    expect(kept.isEnded).toBe(false);
    app.payments.rows.delete('q-1');
    app.eventLog.append('payment.updated', 'q-1');
    signals.streams.wake();
    await waitFor(() => kept.isEnded);
  });

  it('is one of 50 of an address', async () => {
    const link = await path();
    const streams = await Promise.all(Array.from({ length: 50 }, () => open(link)));
    const { status, json } = await app.get(`${link}/stream`);
    expect([status, json.code]).toEqual([429, 'too_many_streams']);
    streams[0]?.close();
    await waitFor(async () => {
      const next = await open(link);
      if (next.status !== 200) app.clock.advance(500);
      return next.status === 200;
    });
  });
});
