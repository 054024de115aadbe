import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { withDecimals } from '../../../src/domain/payment/amount.ts';
import { isMistyped, TokenDecimals } from '../../../src/features/quotes/request-check.ts';
import {
  ProviderCredentials,
  ProviderRefused,
  ProviderUnavailable,
} from '../../../src/ports/payment-provider.ts';
import { StoreUnavailable } from '../../../src/ports/payments.ts';
import { Timers } from '../../../src/ports/timers.ts';
import { SYSTEM_TIMERS } from '../../../src/platform/scheduling/system-timers.ts';
import { quoteText } from '../../support/fakes/provider.fake.ts';
import { paymentToAdd } from '../../support/payment-to-add.ts';
import { reportOf } from '../../support/poll-results.ts';
import { QUOTE_BODY, startGateway } from '../../support/quotes-app.ts';
import { FeatureApp } from '../../support/feature-app.ts';

export function quoteSuite(): void {
  describe('quotes', () => {
    const ZERO = `0x${'0'.repeat(40)}`;
    let app: FeatureApp;

    async function start(): Promise<void> {
      app = await startGateway();
    }
    /** One side of a quote, whose token has 6 decimals. */
    const side = (id: number, address: string): string =>
      `{"depositAddress":"d","chain":{"id":${id}},"token":{"address":"${address}","decimals":6}}`;

    const stop = (): Promise<void> => app.stop();

    describe('a quote that waits', () => {
      const [TIME_MS, WAIT_MS] = [300, 1_500];
      const waits = { isOver: Promise.resolve() };
      const wait = (): Promise<void> => (waits.isOver = sleep(WAIT_MS));
      const BUSY = [503, 'busy'];

      beforeEach(async () => {
        const timers = { provide: Timers, useValue: SYSTEM_TIMERS };
        app = await startGateway(new FeatureApp(), { timeoutMs: TIME_MS }, [timers]);
      });
      afterEach(stop);
      afterEach(() => void jest.restoreAllMocks());

      it.each<[where: string, begin: () => void, answer: unknown[]]>([
        ['for the state of the database', () => hold(app.database, 'problem'), BUSY],
        ['for its Idempotency-Key', () => hold(app.idempotency, 'begin'), BUSY],
        ['for its row', () => hold(app.unanswered, 'begin'), BUSY],
        ['in line to be stored', () => (app.payments.beforeAdd = wait), BUSY],
        [
          'in line, while the database is away',
          () => {
            app.payments.beforeAdd = wait;
            jest.spyOn(app.database, 'trouble').mockReturnValue({ detail: 'no answer', since: new Date() });
          },
          [503, 'database_unavailable'],
        ],
        [
          'for the provider',
          () => (app.provider.onQuote = () => new Promise(() => undefined)),
          [503, 'provider_unavailable'],
        ],
        ['for the other payments of its order', () => hold(app.payments, 'hasPayment'), [200, undefined]],
      ])('%s is answered in its time, and is not stored later', async (_where, begin, expected) => {
        begin();
        const body = { ...QUOTE_BODY, orderId: 'A-1' };
        const beganAt = performance.now();
        const { status, json } = await app.post('/api/quote', body, { 'idempotency-key': 'k-1' });
        expect([status, json.code]).toEqual(expected);
        expect(performance.now() - beganAt).toBeLessThan(WAIT_MS - 200);
        const stored = app.payments.rows.size;
        await waits.isOver;
        await new Promise(setImmediate);
        expect([stored, app.payments.rows.size]).toEqual(status === 200 ? [1, 1] : [0, 0]);
      });

      /** Holds calls back for a long time. */
      function hold<Held extends object>(held: Held, name: keyof Held & string): void {
        const methods = held as Record<string, (...args: unknown[]) => Promise<unknown>>;
        const method = methods[name]?.bind(held);
        methods[name] = async (...args) => {
          await wait();
          return method?.(...args);
        };
      }
    });

    describe('a quote', () => {
      beforeEach(start);
      afterEach(stop);

      it('is answered verbatim, with every field and every digit, after it was stored', async () => {
        const text = quoteText('q-1', ', "huge":123456789012345678901234567890, "later":{"b":1,"a":1.10}');
        app.provider.onQuote = () => text;
        const answer = await app.post('/api/quote', QUOTE_BODY);
        expect([answer.status, answer.text]).toEqual([200, text]);
        expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
        expect(app.payments.rows.get('q-1')?.quoteText).toBe(text);
      });

      it.each([
        ['AWAITING_DEPOSIT', null],
        ['EXPIRED', null],
        ['FAILED', null],
        ['DEPOSIT_RECEIVED', 'order_has_payment'],
        ['EXECUTING', 'order_has_payment'],
        ['COMPLETED', 'order_has_payment'],
      ])('of an order whose payment is %s is answered with the warning %s', async (status, warning) => {
        const report = reportOf({ status });
        await app.payments.add(paymentToAdd('q-0', { orderId: 'A-1', report }));
        for (const [orderId, expected] of [
          ['A-1', warning],
          ['A-10', null],
          [undefined, null],
        ]) {
          const answer = await app.post('/api/quote', { ...QUOTE_BODY, orderId });
          expect([answer.status, answer.headers.get('paybell-warning')]).toEqual([200, expected]);
        }
      });

      it('is answered without the warning where that cannot be read', async () => {
        app.payments.hasPayment = () => Promise.reject(new StoreUnavailable());
        const answer = await app.post('/api/quote', { ...QUOTE_BODY, orderId: 'A-1' });
        expect([answer.status, answer.headers.get('paybell-warning')]).toEqual([200, null]);
      });

      it('is asked for with the six fields and nothing else', async () => {
        await app.post('/api/quote', { ...QUOTE_BODY, orderId: 'A-1', metadata: { shop: 'eu' }, more: [1] });
        expect(app.provider.quoteRequests).toEqual([QUOTE_BODY]);
      });

      it('is not asked for while the limit of quotes is reached, and the merchant gets the time to come again', async () => {
        await app.quoteBudget.pause(12_300);
        const answer = await app.post('/api/quote', QUOTE_BODY);
        expect([answer.status, answer.json.code, answer.headers.get('retry-after')]).toEqual([
          503,
          'provider_unavailable',
          '13',
        ]);
        expect(app.provider.quoteRequests).toEqual([]);
      });

      it('takes nothing from the limit when it is refused before the provider has to be asked', async () => {
        app.provider.checkQuote = () =>
          Promise.reject(new ProviderRefused(422, 'not this token', 'fromToken'));
        const answer = await app.post('/api/quote', QUOTE_BODY);
        expect([answer.status, app.quoteBudget.taken, app.provider.quoteRequests]).toEqual([422, 0, []]);
      });

      it.each([
        [7_000, 7_000, '7'],
        [null, 10_000, '10'],
      ])(
        'makes quoting pause when the provider says that it were too many (%p)',
        async (asked, pause, published) => {
          app.provider.onQuote = () => {
            throw new ProviderUnavailable('status 429', asked, true);
          };
          const paused = jest.spyOn(app.quoteBudget, 'pause');
          const answer = await app.post('/api/quote', QUOTE_BODY);
          expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, published]);
          expect(paused.mock.calls).toEqual([[pause]]);
        },
      );

      it('is not shown when it has the id of a payment that was removed, since nobody could track it', async () => {
        app.payments.remove('q-1');
        app.provider.onQuote = () => quoteText('q-1');
        const answer = await app.post('/api/quote', QUOTE_BODY);
        expect([answer.status, answer.json.code]).toEqual([503, 'provider_unavailable']);
        expect(answer.text).not.toContain('0xdq-1');
      });

      it('keeps the order id and the metadata, with whatever keys', async () => {
        app.provider.onQuote = () => quoteText('q-1');
        const metadata = { shop: 'eu', length: 'x', toString: 'y', ключ: 'значение', note: 'two\nlines' };
        await app.post('/api/quote', { ...QUOTE_BODY, orderId: 'A-1', metadata });
        expect(app.payments.rows.get('q-1')?.payment).toMatchObject({ orderId: 'A-1', metadata });
      });

      it.each([null, undefined])('needs no order id and no metadata: %p', async (none) => {
        app.provider.onQuote = () => quoteText('q-1');
        await app.post('/api/quote', { ...QUOTE_BODY, orderId: none, metadata: none });
        expect(app.payments.rows.get('q-1')?.payment).toMatchObject({ orderId: null, metadata: null });
      });

      it('expires when the provider says', async () => {
        app.provider.onQuote = () => quoteText('q-1');
        await app.post('/api/quote', QUOTE_BODY);
        expect(app.payments.rows.get('q-1')?.payment.expiresAt).toEqual(new Date('2026-11-20T12:05:00.000Z'));
      });

      it('has no expiry when the provider says none', async () => {
        app.provider.onQuote = () => '{"quoteId":"q-1","send":{"depositAddress":"0xd"}}';
        await app.post('/api/quote', QUOTE_BODY);
        expect(app.payments.rows.get('q-1')?.payment.expiresAt).toBeNull();
      });

      it('that the provider had given before is answered as it is', async () => {
        app.provider.onQuote = () => quoteText('q-1');
        await app.post('/api/quote', QUOTE_BODY);
        const again = await app.post('/api/quote', QUOTE_BODY);
        expect([again.status, again.text]).toEqual([200, quoteText('q-1')]);
        expect(app.payments.rows.get('q-1')?.events).toHaveLength(1);
      });

      it('makes no quote while the database is down: it could not be stored', async () => {
        app.database.isUp = false;
        const { status, json } = await app.post('/api/quote', QUOTE_BODY);
        expect([status, json.code]).toEqual([503, 'database_unavailable']);
        expect(app.provider.quoteRequests).toEqual([]);
      });

      it('that could not be stored is never answered', async () => {
        app.payments.failNextAdd = new StoreUnavailable();
        app.provider.onQuote = () => quoteText('q-1');
        const answer = await app.post('/api/quote', QUOTE_BODY);
        expect([answer.status, answer.json.code]).toEqual([503, 'database_unavailable']);
        expect(answer.text).not.toMatch(/0xdq-1|q-1/);
      });

      it.each([
        [new ProviderRefused(422, 'no route', 'toToken'), 422, 'provider_refused'],
        [new ProviderRefused(400, 'too small', 'amount'), 400, 'provider_refused'],
        [new ProviderUnavailable('time-out', 9_000), 503, 'provider_unavailable'],
        [new ProviderCredentials(), 502, 'provider_credentials'],
      ])('that the provider does not give is its error: %s', async (failure, status, code) => {
        app.provider.onQuote = () => Promise.reject(failure);
        const answer = await app.post('/api/quote', QUOTE_BODY);
        expect([answer.status, answer.json.code, answer.json.success]).toEqual([status, code, false]);
        expect(app.payments.adds).toBe(0);
      });
    });

    describe('bad input', () => {
      // No case leaves a state behind: one application serves all of them.
      beforeAll(start);
      afterAll(stop);

      const cases: [string, unknown][] = [
        ...['0', '1e18', ' 1'].map((amount): [string, unknown] => ['amount', amount]),
        ...[25.5, null].map((amount): [string, unknown] => ['amount', amount]),
        ...['8453', 0, -1, 1.5, null, 1e300, [8453], 2 ** 53].flatMap((id): [string, unknown][] => [
          ['fromChainId', id],
          ['toChainId', id],
        ]),
        ...['', 'a b', 'x'.repeat(129), 7, null, '0x\n', 'a\u200b'].flatMap((text): [string, unknown][] => [
          ['fromToken', text],
          ['toToken', text],
          ['recipient', text],
        ]),
        ['recipient', ZERO],
        ['recipient', ZERO.replace('0x', '0X')],
        ['orderId', ''],
        ['orderId', 7],
        ['metadata', 'x'],
        ['metadata', Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 'v']))],
      ];

      it.each(cases)('is refused, naming the field: %s = %p', async (field, value) => {
        const answer = await app.post('/api/quote', { ...QUOTE_BODY, [field]: value });
        expect([answer.status, answer.json.code]).toEqual([400, 'invalid_request']);
        expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
        expect(answer.json.errors).toEqual([{ field, message: expect.stringMatching(/^must /) }]);
        expect([app.provider.calls, app.payments.adds]).toEqual([0, 0]);
      });

      it.each<[string, string]>([
        ...['orderID', 'order_id', 'orderid', 'order-id', 'oderId'].map((name): [string, string] => [
          name,
          'orderId',
        ]),
        ...['meta', 'Meta', 'metaData', 'meta_data', 'metdata'].map((name): [string, string] => [
          name,
          'metadata',
        ]),
        ['refund_to', 'refundTo'],
        ['amountis', 'amountIs'],
        ['providers', 'provider'],
      ])('is a misspelt name of a field that may be left out: %s', async (field, meant) => {
        const errors = [{ field, message: `is not a field here: did you mean "${meant}"?` }];
        const answer = await app.post('/api/quote', { ...QUOTE_BODY, [field]: 'A-1' });
        expect([answer.status, answer.json.errors, app.provider.calls]).toEqual([400, errors, 0]);
      });

      it.each([
        ['n', 7],
        ['k'.repeat(101), 'v'],
        ['constructor', 'v'],
      ])('names the entry of the metadata: %s', async (key, value) => {
        const answer = await app.post('/api/quote', { ...QUOTE_BODY, metadata: { ok: 'v', [key]: value } });
        expect(answer.status).toBe(400);
        expect(answer.json.errors[0].field).toBe(`metadata.${key.slice(0, 100)}`);
        expect(app.provider.calls).toBe(0);
      });

      it('refuses a metadata entry called __proto__, and nothing gets a new prototype', async () => {
        const body = JSON.stringify({ ...QUOTE_BODY, metadata: { x: 'y' } }).replace(
          '"x":"y"',
          '"__proto__":"y"',
        );
        const answer = await app.post('/api/quote', body);
        expect([answer.status, answer.json.errors[0].field]).toEqual([400, 'metadata.__proto__']);
        const polluting = body.replace('"__proto__":"y"', '"__proto__":{"polluted":"yes"}');
        expect((await app.post('/api/quote', polluting)).status).toBe(400);
        expect(({} as { polluted?: string }).polluted).toBeUndefined();
      });

      it('names every field that is missing, of an empty body and of none', async () => {
        const fields = ['fromChainId', 'toChainId', 'fromToken', 'toToken', 'amount', 'recipient'];
        for (const body of ['{}', '']) {
          const answer = await app.post('/api/quote', body);
          expect(answer.status).toBe(400);
          expect(answer.json.errors.map((error: { field: string }) => error.field).sort()).toEqual(
            fields.sort(),
          );
        }
      });

      it.each(['[]', '"x"', '7', '{"amount":', '[{"amount":"1"}]'])(
        'refuses a body that is no object: %s',
        async (body) => {
          const answer = await app.post('/api/quote', body);
          expect(answer.status).toBe(400);
          expect(app.provider.calls).toBe(0);
        },
      );
    });

    // The examples of EIP-55, and USDC.
    const RIGHT = [
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
      '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
      '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
      '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    ];
    const [right = ''] = RIGHT;
    const wrong = `${right.slice(0, -1)}D`;

    describe('the letter case of an EVM address', () => {
      it.each([
        ...RIGHT,
        right.toLowerCase(),
        `0x${right.slice(2).toUpperCase()}`,
        'So11111111111111111111111111111111111111112',
        `${right}00`,
      ])("may be in one case, or with its checksum; others are the provider's to judge: %s", (address) => {
        expect(isMistyped(address)).toBe(false);
      });
    });

    describe('an EVM address', () => {
      beforeEach(start);
      afterEach(stop);

      it('of Rootstock has a checksum of its own', async () => {
        app.provider.onChains = () => Promise.reject(new ProviderUnavailable('down'));
        const body = { ...QUOTE_BODY, toChainId: 30, recipient: wrong };
        expect((await app.post('/api/quote', body)).status).toBe(200);
      });

      it.each([
        [{ recipient: wrong }, ['recipient']],
        [{ refundTo: wrong }, ['refundTo']],
        [{ recipient: right.replace('5aA', '5aa'), refundTo: wrong }, ['recipient', 'refundTo']],
        [{ recipient: right.replace('6053', '6054') }, ['recipient']],
      ])('with a typing error is refused before the provider is asked: %j', async (change, fields) => {
        const { status, json } = await app.post('/api/quote', { ...QUOTE_BODY, ...change });
        expect([status, json.errors.map(({ field }: { field: string }) => field)]).toEqual([400, fields]);
        expect(json.errors[0].message).toMatch(/typing error.*EIP-55/);
        expect(app.provider.calls).toBe(0);
      });
    });

    describe('an address of Bitcoin or Dogecoin', () => {
      beforeEach(start);
      afterEach(stop);

      it.each([
        [{ toChainId: 8253038, recipient: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5' }, ['recipient']],
        [{ toChainId: 8253038, recipient: right }, ['recipient']],
        [{ fromChainId: 2100000003, refundTo: '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH' }, ['refundTo']],
      ])('that is none, or mistyped, is refused: %j', async (change, fields) => {
        const { status, json } = await app.post('/api/quote', { ...QUOTE_BODY, ...change });
        expect([status, json.errors.map(({ field }: { field: string }) => field)]).toEqual([400, fields]);
        expect(json.errors[0].message).toBe('is no address of this chain, or has a typing error');
        expect(app.provider.calls).toBe(0);
      });
    });

    describe('the digits of a token', () => {
      it.each([
        [8453, 18],
        [42220, 18],
        [792703809, 9],
        [5, null],
      ])('knows the digits of the native token of chain %i: %j', (chainId, decimals) => {
        expect(new TokenDecimals().of(chainId, ZERO)).toBe(decimals);
      });

      it.each([
        ['1.0000000', '1.000000', 6],
        ['7.00', '7.00', 6],
        ['7.5000000000', '7.500000', 6],
        ['7.0', '7', 0],
        ['7.000', '7', 0],
        ['7.10', null, 0],
        ['1.0000001', null, 6],
      ] as const)('takes zeros beyond the digits of the token for nothing: %s', (amount, sent, decimals) => {
        expect(withDecimals(amount, decimals)).toBe(sent);
      });
    });

    describe('chains and fraction digits', () => {
      beforeEach(start);
      afterEach(stop);

      it('refuses chains that are not on the list, naming both', async () => {
        const answer = await app.post('/api/quote', { ...QUOTE_BODY, fromChainId: 5, toChainId: 6 });
        expect(answer.json.errors.map((error: { field: string }) => error.field)).toEqual([
          'fromChainId',
          'toChainId',
        ]);
        expect([app.provider.quoteRequests.length, app.provider.chainReads, app.payments.adds]).toEqual([
          0, 1, 0,
        ]);
      });

      it.each(['{"success":true}', '{"chains":[]}', '{"chains":"many"}'])(
        'leaves it to the provider when its list cannot be read: %s',
        async (text) => {
          app.provider.onChains = () => text;
          expect((await app.post('/api/quote', { ...QUOTE_BODY, fromChainId: 5 })).status).toBe(200);
        },
      );

      it('leaves it to the provider when no list can be had, and does not ask for one at each quote', async () => {
        app.provider.onChains = () => Promise.reject(new ProviderUnavailable('down'));
        for (let i = 0; i < 3; i += 1) expect((await app.post('/api/quote', QUOTE_BODY)).status).toBe(200);
        expect(app.provider.chainReads).toBe(1);
      });

      it('refuses more digits than the native token has', async () => {
        const body = { ...QUOTE_BODY, fromToken: ZERO };
        const tooFine = await app.post('/api/quote', { ...body, amount: `0.${'1'.repeat(19)}` });
        expect([tooFine.status, tooFine.json.errors[0].field]).toEqual([400, 'amount']);
        expect(app.provider.quoteRequests).toHaveLength(0);
        expect((await app.post('/api/quote', { ...body, amount: `0.${'1'.repeat(18)}` })).status).toBe(200);
      });

      it('learns the digits of a token from a search, whatever the case of its address', async () => {
        const address = QUOTE_BODY.fromToken.toLowerCase();
        app.provider.onSearch = () =>
          `{"success":true,"currencies":[{"chainId":8453,"address":"${address}","decimals":6},null,{"chainId":"x"}]}`;
        const body = { ...QUOTE_BODY, amount: '1.0000001' };
        expect((await app.post('/api/quote', body)).status).toBe(200);
        await app.post('/api/currencies', { term: 'usdc' });
        const answer = await app.post('/api/quote', body);
        expect([answer.status, answer.json.errors]).toEqual([
          400,
          [{ field: 'amount', message: 'must have at most 6 fraction digits, as its token has' }],
        ]);
        expect((await app.post('/api/quote', { ...body, toChainId: 10, amount: '1.000001' })).status).toBe(
          200,
        );
      });

      it('asks for the amount without those zeros', async () => {
        app.provider.onSearch = () =>
          `{"success":true,"currencies":[{"chainId":8453,"address":"${QUOTE_BODY.fromToken}","decimals":6}]}`;
        await app.post('/api/currencies', { term: 'usdc' });
        await app.post('/api/quote', { ...QUOTE_BODY, amount: '1.0000000' });
        expect(app.provider.quoteRequests[0]?.amount).toBe('1.000000');
      });

      it('learns the digits of both tokens from a quote; addresses that are not hexadecimal have a case', async () => {
        app.provider.onQuote = () =>
          `{"quoteId":"q-1","send":${side(8453, '0xAB')},"receive":${side(792703809, 'EPjFWdd5')}}`;
        const both = { fromToken: '0xAB', toChainId: 792703809, toToken: 'EPjFWdd5' };
        await app.post('/api/quote', { ...QUOTE_BODY, ...both });
        app.provider.onQuote = () => quoteText('q-2');
        const fine = { ...QUOTE_BODY, amount: '1.0000001' };
        const statusOf = async (fromChainId: number, fromToken: string) =>
          (await app.post('/api/quote', { ...fine, fromChainId, fromToken })).status;
        expect(await statusOf(8453, '0xaB')).toBe(400);
        expect(await statusOf(1, '0xaB')).toBe(200);
        expect(await statusOf(792703809, 'EPjFWdd5')).toBe(400);
        expect(await statusOf(792703809, 'epjfwdd5')).toBe(200);
      });
    });
  });
}
