import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { CurrencySearch } from '../../src/domain/payment/currency-search.ts';
import { compareAmounts } from '../../src/domain/payment/amount.ts';
import { applyReport, openPayment } from '../../src/domain/transitions/apply-report.ts';
import type { EventDraft } from '../../src/domain/event/event.ts';
import { newPayment, type Payment } from '../../src/domain/payment/payment.ts';
import type { Quote, QuoteRequest } from '../../src/domain/payment/quote.ts';
import type { Report } from '../../src/domain/payment/report.ts';
import {
  ProviderCredentials,
  ProviderRefused,
  type PaymentProvider,
  type StatusAnswer,
} from '../../src/ports/payment-provider.ts';
import {
  BASE,
  FAILING_FRACTION,
  type Origin,
  PROVIDER_STAGES,
  type ProviderStage,
} from '../support/provider-stages.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { openToy } from '../support/toy/toy-stage.ts';
import { providerCases } from '../support/suites/provider-cases.ts';
import { readAll, statusAnswers } from '../support/suites/status-answers.ts';

type Json = Record<string, unknown>;

const NATIVE = '0x0000000000000000000000000000000000000000';
const ARBITRUM = 42161;
const SOLANA = 792703809;
const USDC_ON_ARBITRUM = '0xaf88d065e77c8cc2239327c5edb3a432268e5831';
const RECIPIENT = `0x${'12'.repeat(20)}`;
const AMOUNT = '25.5';
const RAW_AMOUNT = '25500000';
const DECIMAL = /^(0|[1-9]\d*)(\.\d+)?$/;
const RULES = { stalledAfterMs: 3_600_000 };
const ENDED = new Set(['COMPLETED', 'FAILED']);

/** The fields that the specification promises in every form of a quote. */
const quoteObjectFrom = ({ chain, usdc }: Origin) => ({
  success: true,
  quoteId: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  send: {
    depositAddress: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
    chain: { id: chain.id, name: expect.stringMatching(/./) },
    token: { address: usdc, symbol: 'USDC', decimals: 6 },
    amount: AMOUNT,
  },
  receive: {
    chain: { id: ARBITRUM, name: expect.stringMatching(/./) },
    token: { address: USDC_ON_ARBITRUM, symbol: 'USDC', decimals: 6 },
    estimatedAmount: expect.stringMatching(DECIMAL),
    estimatedAmountUsd: expect.stringMatching(DECIMAL),
  },
  recipient: RECIPIENT,
  fees: { totalUsd: expect.stringMatching(DECIMAL) },
  estimatedTime: expect.stringMatching(/^\d+\s?[a-z]+$/),
  depositNote: expect.stringMatching(/send/i),
});

/** The fields that the spec promises in every payment status. */
const statusObjectFrom = ({ chain, usdc }: Origin) => ({
  success: true,
  status: 'AWAITING_DEPOSIT',
  createdAt: expect.any(Number),
  expiresAt: expect.any(Number),
  deposit: null,
  gas: null,
  execution: { startedAt: null, completedAt: null, outputTxHash: null, steps: [] },
  route: {
    from: { chainId: chain.id, chainName: expect.stringMatching(/./), token: usdc },
    to: { chainId: ARBITRUM, chainName: expect.stringMatching(/./), token: USDC_ON_ARBITRUM },
    amount: RAW_AMOUNT,
    recipient: RECIPIENT,
  },
  error: null,
});

const REFUSED: readonly (readonly [what: string, field: string, change: Partial<QuoteRequest>])[] = [
  ['a chain to pay on that nobody knows', 'fromChainId', { fromChainId: 999_999_999 }],
  ['a chain to be paid on that nobody knows', 'toChainId', { toChainId: 999_999_999 }],
  ['a token to pay with that is none', 'fromToken', { fromToken: `0x${'d0'.repeat(20)}` }],
  ['a token to receive that is none', 'toToken', { toToken: `0x${'d0'.repeat(20)}` }],
  ['more fraction digits than the token has', 'amount', { amount: '1.0000001' }],
  ['nothing', 'amount', { amount: '0' }],
  ['an amount below the fees', 'amount', { amount: '0.000001' }],
  ['an amount that is no number', 'amount', { amount: '1e3' }],
  ['a recipient that is no address', 'recipient', { recipient: 'alice.eth' }],
  ['an EVM recipient on Solana', 'recipient', { toChainId: SOLANA, toToken: NATIVE }],
];

describe.each([...PROVIDER_STAGES, { name: 'toy', open: openToy, origin: BASE }])(
  'the provider $name',
  ({ name, open, origin }) => {
    const REQUEST: QuoteRequest = {
      fromChainId: origin.chain.id,
      toChainId: ARBITRUM,
      fromToken: origin.usdc,
      toToken: USDC_ON_ARBITRUM,
      amount: AMOUNT,
      recipient: RECIPIENT,
    };
    const FAILING: QuoteRequest = { ...REQUEST, amount: `25${FAILING_FRACTION}` };
    let stage: ProviderStage;
    let provider: PaymentProvider;

    beforeAll(async () => {
      stage = await open();
      ({ provider } = stage);
    });

    afterAll(() => stage.close());

    function quotes(count: number): Promise<Quote[]> {
      return Promise.all(Array.from({ length: count }, () => provider.createQuote(REQUEST)));
    }

    async function answerOf(quoteId: string, asked = provider): Promise<StatusAnswer> {
      const answers = await readAll(asked, [quoteId]);
      expect(answers.map(([id]) => id)).toEqual([quoteId]);
      return answers[0]?.[1] ?? { kind: 'credentials' };
    }

    async function reportOf({ quoteId }: Quote): Promise<Report> {
      const answer = await answerOf(quoteId);
      if (answer.kind !== 'report') throw new Error(`no report, but ${JSON.stringify(answer)}`);
      expect(answer.report.quoteId).toBe(quoteId);
      return answer.report;
    }

    /** Reads as the tracker does until the payment has this status; returns its events and its last report. */
    async function follow(
      quote: Quote,
      isThere: (status: string) => boolean,
      from?: Followed,
    ): Promise<Followed> {
      let followed = from ?? { ...openPayment(paymentOf(quote)), report: await reportOf(quote) };
      const step = async (): Promise<boolean> => {
        const report = await reportOf(quote);
        const transition = applyReport(followed.payment, report, new Date(), RULES);
        followed = {
          payment: transition.payment,
          events: [...followed.events, ...transition.events],
          report,
        };
        if (isThere(transition.payment.status)) return true;
        if (report.status !== 'AWAITING_DEPOSIT' && report.status !== 'EXPIRED') stage.advance(quote);
        return false;
      };
      await waitFor(step, { everyMs: 10, what: `the end of ${quote.quoteId}` });
      return followed;
    }

    it('states its name, and limits that a caller can keep to', () => {
      expect(provider.name).toBe(name);
      const { maxConcurrency, batchSize, timeoutMs, maxRpm, maxQuotesPerMinute = 0 } = provider.limits;
      for (const atLeastOne of [maxConcurrency, batchSize, timeoutMs]) {
        expect(Number.isSafeInteger(atLeastOne)).toBe(true);
        expect(atLeastOne).toBeGreaterThan(0);
      }
      for (const orNone of [maxRpm, maxQuotesPerMinute]) expect(orNone).toBeGreaterThanOrEqual(0);
      expect(timeoutMs).toBeLessThanOrEqual(120_000);
    });

    describe('asked for a quote', () => {
      it("answers the spec's Quote object with the amount that was asked for, digit by digit", async () => {
        const quote = await provider.createQuote(REQUEST);
        const object = JSON.parse(quote.text) as Json;
        expect(object).toMatchObject(quoteObjectFrom(origin));
        expect(object).toMatchObject({
          quoteId: quote.quoteId,
          expiresIn: quote.expiresIn,
          send: { depositAddress: quote.depositAddress },
          statusUrl: `/api/status/${quote.quoteId}`,
        });
        expect(quote.expiresIn).toBeGreaterThan(0);
        expect(Number.isSafeInteger(quote.expiresIn)).toBe(true);
        expect(quote.expectedMs).toBeGreaterThan(0);
      });

      it('keeps every digit of an amount that no floating-point number could hold', async () => {
        const amount = '1.234567890123456789';
        const native = { fromToken: NATIVE, toToken: NATIVE, amount };
        const quote = await provider.createQuote({ ...REQUEST, ...native });
        expect(JSON.parse(quote.text)).toMatchObject({ send: { amount, token: { address: NATIVE } } });
        const published = JSON.parse((await reportOf(quote)).text) as Json;
        expect(published).toMatchObject({
          route: { amount: '1234567890123456789', from: { token: NATIVE } },
        });
      });

      it('gives each of many at once an id and a deposit address of its own', async () => {
        const made = await quotes(8);
        expect(new Set(made.map(({ quoteId }) => quoteId)).size).toBe(8);
        expect(new Set(made.map(({ depositAddress }) => depositAddress.toLowerCase())).size).toBe(8);
      });

      it('to deliver an exact amount promises it, and says what the payer sends, where it can', async () => {
        if (!provider.deliversExactAmounts)
          return expect(['http', 'sandbox', 'chainflip', 'toy']).toContain(name);
        const quote = await provider.createQuote({ ...REQUEST, amountIs: 'receive' });
        const { send, receive } = JSON.parse(quote.text) as { send: Json; receive: Json };
        expect(receive['estimatedAmount']).toBe(REQUEST.amount);
        expect(compareAmounts(String(send['amount']), REQUEST.amount)).toBeGreaterThan(0);
        await stage.pay(quote);
        const { report } = await follow(quote, (status) => ENDED.has(status));
        expect(JSON.parse(report.text)).toMatchObject({
          status: 'COMPLETED',
          deposit: { amount: send['amount'], match: 'exact' },
          execution: { output: { amount: REQUEST.amount } },
        });
      });

      it('estimates without a deposit address what its quote then says, or says nothing', async () => {
        const estimated = await provider.estimateReceived(REQUEST);
        const { text } = await provider.createQuote(REQUEST);
        if (estimated === null) return expect(['http', 'sandbox', 'toy']).toContain(name);
        expect(JSON.parse(text)).toMatchObject({ receive: { estimatedAmount: estimated } });
      });

      it('sends refunds to the wallet that the request names, or refuses it', async () => {
        const refundTo = `0x${'cd'.repeat(20)}`;
        for (const wrong of ['alice.eth', NATIVE]) {
          const request = { ...REQUEST, refundTo: wrong };
          if (name === 'sandbox' || name === 'toy') continue;
          await expect(provider.checkQuote(request)).rejects.toMatchObject({ field: 'refundTo' });
        }
        if (stage.refundsTo === null) return expect(['http', 'sandbox', 'toy']).toContain(name);
        const quote = await provider.createQuote({ ...REQUEST, refundTo });
        expect(stage.refundsTo(quote)).toBe(refundTo);
      });

      it('refuses what it cannot do, and names the field', async () => {
        for (const [what, field, change] of REFUSED) {
          const refusal = await provider
            .createQuote({ ...REQUEST, ...change })
            .catch((error: unknown) => error);
          expect([what, refusal]).toEqual([what, expect.any(ProviderRefused)]);
          const { httpStatus, message, field: named } = refusal as ProviderRefused;
          expect([400, 404, 422]).toContain(httpStatus);
          expect([what, named, message]).toEqual([what, field, expect.stringMatching(/\w{3}/)]);
        }
      });
    });

    describe('asked how payments stand', () => {
      it('reports that a fresh quote awaits its deposit, with every field of the spec', async () => {
        const quote = await provider.createQuote(REQUEST);
        const report = await reportOf(quote);
        const object = JSON.parse(report.text) as Json;
        expect(object).toMatchObject(statusObjectFrom(origin));
        expect(object).toMatchObject({ quoteId: quote.quoteId, depositAddress: quote.depositAddress });
        expect(Number(object['expiresAt']) - Number(object['createdAt'])).toBe(quote.expiresIn);
        expect(report.expiresAt?.getTime()).toBe(Number(object['expiresAt']) * 1_000);
      });

      statusAnswers(() => ({ provider, createQuote: () => provider.createQuote(REQUEST) }));

      it('tells when its request leaves, from which the next poll counts', async () => {
        const quote = await provider.createQuote(REQUEST);
        await stage.pay(quote);
        let sent = 0;
        const known = { digestOf: () => null, onUnchanged: () => undefined, onSent: () => void (sent += 1) };
        await provider.readStatuses([quote.quoteId], () => undefined, known);
        // The sandbox sends no request.
        expect(sent).toBe(name === 'sandbox' ? 0 : 1);
      });
    });

    describe('with a payment', () => {
      it('that is paid reports its whole life forwards, without a contradiction, up to COMPLETED', async () => {
        const quote = await provider.createQuote(REQUEST);
        const before = await follow(quote, () => true);
        expect(before.payment.status).toBe('AWAITING_DEPOSIT');
        await stage.pay(quote);
        const { payment, events, report } = await follow(quote, (status) => ENDED.has(status), before);
        expect(typesOf(events)).not.toContain('payment.anomaly');
        expect(typesOf(events).at(-1)).toBe('payment.completed');
        expect(payment).toMatchObject({ status: 'COMPLETED', late: false, tracking: 'watching' });
        const object = JSON.parse(report.text) as Json;
        expect(object).toMatchObject({
          deposit: { txHash: expect.any(String), amount: REQUEST.amount, amountRaw: RAW_AMOUNT },
          execution: {
            startedAt: expect.any(Number),
            outputTxHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          },
          error: null,
        });
        expect((object['execution'] as Json)['completedAt']).toBeGreaterThan(1_700_000_000);
        expect((object['execution'] as Json)['completedAt']).toBeLessThan(100_000_000_000);
      });

      it('that stands still reports the same again, as one batch or alone', async () => {
        const [waiting, done] = [await provider.createQuote(REQUEST), await provider.createQuote(REQUEST)];
        await stage.pay(done);
        await follow(done, (status) => status === 'COMPLETED');
        for (const quote of [waiting, done]) {
          const [one, other] = [await reportOf(quote), await reportOf(quote)];
          const together = new Map(await readAll(provider, [waiting.quoteId, done.quoteId]));
          expect(other.digest).toBe(one.digest);
          expect(together.get(quote.quoteId)).toMatchObject({
            kind: 'report',
            report: { digest: one.digest },
          });
        }
      });

      it('that fails says FAILED and why, and goes nowhere from there by itself', async () => {
        const quote = await provider.createQuote(FAILING);
        await stage.pay(quote);
        const { payment, events, report } = await follow(quote, (status) => ENDED.has(status));
        expect(typesOf(events)).not.toContain('payment.anomaly');
        expect(payment).toMatchObject({ status: 'FAILED', tracking: 'watching' });
        const { error, execution } = JSON.parse(report.text) as { error: string; execution: Json };
        expect(error).toMatch(/\w{3}/);
        expect(execution).toMatchObject({ completedAt: null, outputTxHash: null });
        expect((await reportOf(quote)).status).toBe('FAILED');
      });

      it('that nobody pays expires, and one that is paid after that completes late', async () => {
        const quote = await provider.createQuote(REQUEST);
        await stage.expire(quote);
        const expired = await follow(quote, (status) => status === 'EXPIRED');
        expect(JSON.parse(expired.report.text)).toMatchObject({ deposit: null, error: null });
        await stage.pay(quote);
        const { payment, events } = await follow(quote, (status) => ENDED.has(status), expired);
        expect(payment).toMatchObject({ status: 'COMPLETED', late: true, tracking: 'watching' });
        expect(typesOf(events)).not.toContain('payment.anomaly');
        expect(typesOf(events).slice(0, 2)).toEqual(['payment.created', 'payment.expired']);
      });
    });

    describe('asked for its lists', () => {
      it("answers the spec's chains, those of its quotes among them", async () => {
        const { success, chains } = JSON.parse(await provider.readChains()) as {
          success: boolean;
          chains: Json[];
        };
        expect(success).toBe(true);
        for (const chain of chains) {
          expect(chain).toEqual({
            id: expect.any(Number),
            name: expect.stringMatching(/./),
            shortName: expect.stringMatching(/^[a-z0-9-]+$/),
            nativeToken: expect.stringMatching(/^[A-Z]+$/),
          });
        }
        const ids = chains.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toEqual(expect.arrayContaining([origin.chain.id, ARBITRUM, SOLANA]));
        expect(chains).toContainEqual(origin.chain);
      });

      async function search(asked: CurrencySearch): Promise<Json[]> {
        const answer = JSON.parse(await provider.searchCurrencies(asked)) as {
          success: boolean;
          currencies: Json[];
        };
        expect(answer.success).toBe(true);
        return answer.currencies;
      }

      it("answers the spec's currencies, no more than were asked for", async () => {
        for (const limit of [1, 3]) expect(await search({ term: 'usdc', limit })).toHaveLength(limit);
        const found = await search({ term: 'USDC', chainIds: [origin.chain.id, ARBITRUM] });
        expect(found.length).toBeGreaterThanOrEqual(2);
        for (const currency of found) {
          expect(currency).toMatchObject({
            chainId: expect.any(Number),
            address: expect.stringMatching(/^0x[0-9a-f]{40}$/),
            symbol: expect.stringMatching(/USDC/),
            name: expect.stringMatching(/./),
            decimals: 6,
            vmType: 'evm',
            metadata: { verified: expect.any(Boolean) },
          });
          expect([origin.chain.id, ARBITRUM]).toContain(currency['chainId']);
        }
        expect(await search({ term: 'no token has such a name' })).toEqual([]);
      });

      it('finds a token by an address in any case, and a native one at the zero address', async () => {
        const address = origin.usdc.toUpperCase().replace('0X', '0x');
        expect(await search({ address, chainIds: [origin.chain.id] })).toMatchObject([
          { chainId: origin.chain.id, address: origin.usdc, symbol: 'USDC' },
        ]);
        expect(await search({ term: 'SOL', chainIds: [SOLANA], limit: 1 })).toMatchObject([
          { chainId: SOLANA, address: NATIVE, symbol: 'SOL', decimals: 9, vmType: 'svm' },
        ]);
      });
    });

    providerCases(name, REQUEST, () => stage);

    it('with a key that is not taken says so in every answer, and repeats it nowhere', async (): Promise<void> => {
      const { stranger } = stage;
      // A provider without a key cannot be asked with a wrong one.
      if (stranger === null) {
        expect(['sandbox', 'chainflip']).toContain(provider.name);
        return;
      }
      const { quoteId } = await provider.createQuote(REQUEST);
      expect(await answerOf(quoteId, stranger)).toEqual({ kind: 'credentials' });
      for (const ask of [
        () => stranger.createQuote(REQUEST),
        () => stranger.readChains(),
        () => stranger.searchCurrencies({ term: 'usdc' }),
      ]) {
        const error = await ask().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(ProviderCredentials);
        expect(String((error as Error).stack)).not.toContain('key-of-a-stranger');
      }
      expect(await answerOf(quoteId)).toMatchObject({ kind: 'report' });
    });

    it('that is away says so for each payment and quote, and answers again once it is back', async () => {
      const [known, other] = await quotes(2);
      if (known === undefined || other === undefined) throw new Error('two quotes');
      const report = await reportOf(known);
      stage.goAway();
      const ids = [known.quoteId, other.quoteId];
      const answers = await readAll(provider, ids);
      expect(answers.map(([id]) => id).sort()).toEqual([...ids].sort());
      for (const [, answer] of answers)
        expect(answer).toMatchObject({ kind: 'unavailable', reason: expect.stringMatching(/\w/) });
      await expect(provider.createQuote(REQUEST)).rejects.toBeInstanceOf(stage.awayError);
      stage.comeBack();
      await waitFor(async () => (await answerOf(known.quoteId)).kind === 'report');
      expect(await reportOf(known)).toMatchObject({ quoteId: report.quoteId, expiresAt: report.expiresAt });
      expect(await reportOf(await provider.createQuote(REQUEST))).toMatchObject({
        status: 'AWAITING_DEPOSIT',
      });
    });
  },
);

interface Followed {
  readonly payment: Payment;
  readonly events: readonly EventDraft[];
  readonly report: Report;
}

function paymentOf({ quoteId, expiresIn, expectedMs }: Quote): Payment {
  const now = new Date();
  const expiresAt = expiresIn === null ? null : new Date(now.getTime() + expiresIn * 1_000);
  return newPayment({ quoteId, provider: 'http', orderId: null, metadata: null, expiresAt, expectedMs }, now);
}

function typesOf(events: readonly EventDraft[]): string[] {
  return events.map(({ type }) => type);
}
