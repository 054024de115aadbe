import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { Quote, QuoteRequest } from '../../src/domain/payment/quote.ts';
import type { LostQuote } from '../../src/ports/payment-provider.ts';
import type { OneClickProvider } from '../../src/providers/oneclick/oneclick-provider.ts';
import { openOneClickWorld, type OneClickWorld } from '../support/oneclick-world.ts';
import { readAll } from '../support/suites/status-answers.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- quotes are changed field by field
type Json = Record<string, any>;

const REQUEST: QuoteRequest = {
  fromChainId: 8453,
  toChainId: 42161,
  fromToken: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  toToken: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  amount: '25',
  recipient: `0x${'22'.repeat(20)}`,
};
const STELLAR = 2_100_000_148;

describe('a quote of 1Click that the database has lost', () => {
  let world: OneClickWorld;
  let provider: OneClickProvider;

  beforeAll(async () => {
    world = await openOneClickWorld('key');
    provider = world.providerWith();
  });

  afterAll(() => world.close());

  async function lost(change: Partial<QuoteRequest> = {}): Promise<Quote> {
    const quote = await provider.createQuote({ ...REQUEST, ...change });
    await world.loseQuote(quote.quoteId);
    return quote;
  }

  async function handOver({ quoteId }: Quote, text: string): Promise<LostQuote> {
    const found = await provider.readLostQuote(quoteId, text);
    if (found === null) throw new Error('it is known');
    return found;
  }

  const statusOf = async (quoteId: string): Promise<unknown> => {
    const [[, answer] = []] = await readAll(provider, [quoteId]);
    return answer?.kind === 'report' ? JSON.parse(answer.report.text) : answer;
  };

  it.each([
    ['of a usual chain', {}],
    ['with an exact output', { amountIs: 'receive' }],
    ['with a memo', { fromChainId: STELLAR, fromToken: `0x${'0'.repeat(40)}`, amount: '500' }],
  ] as [string, Partial<QuoteRequest>][])(
    '%s reads as before once it is handed over',
    async (_what, change) => {
      const quote = await provider.createQuote({ ...REQUEST, ...change });
      const { depositMemo } = (JSON.parse(quote.text) as Json)['send'];
      world.oneClick.lives.deposit([quote.depositAddress, depositMemo].filter(Boolean).join('_'), 1_000n);
      const before = await statusOf(quote.quoteId);
      await world.loseQuote(quote.quoteId);
      const found = await handOver(quote, quote.text);
      expect(await found.readStatus()).toMatchObject({
        kind: 'report',
        report: { status: 'DEPOSIT_RECEIVED' },
      });
      await found.keep();
      const after = (await statusOf(quote.quoteId)) as Json;
      // The quote's times come from 1Click's answer.
      const { createdAt, expiresAt } = after;
      expect(after).toEqual({ ...(before as Json), createdAt, expiresAt });
      expect(expiresAt).toBeGreaterThanOrEqual((before as Json)['expiresAt'] as number);
      expect(await provider.readLostQuote(quote.quoteId, quote.text)).toBeNull();
    },
  );

  it('may be handed over twice at once', async () => {
    const quote = await lost();
    const [one, two] = [await handOver(quote, quote.text), await handOver(quote, quote.text)];
    for (const found of [one, two]) expect(await found.readStatus()).toMatchObject({ kind: 'report' });
    await one.keep();
    await two.keep();
    expect(await statusOf(quote.quoteId)).toMatchObject({ status: 'AWAITING_DEPOSIT' });
  });

  it.each([
    ['another recipient', { recipient: `0x${'33'.repeat(20)}` }],
    ['another amount', { send: { amount: '26' } }],
    ['another token', { receive: { token: { address: `0x${'0'.repeat(40)}`, decimals: 18 } } }],
  ])('is not what 1Click has for %s on its address', async (_what, change: Json) => {
    const quote = await lost();
    const object = JSON.parse(quote.text) as Json;
    const text = JSON.stringify({
      ...object,
      ...change,
      send: { ...object['send'], ...change['send'] },
      receive: { ...object['receive'], ...change['receive'] },
    });
    const found = await handOver(quote, text);
    expect(await found.readStatus()).toMatchObject({
      kind: 'refused',
      httpStatus: 422,
      message: expect.stringContaining('another payment'),
    });
    await found.keep();
    expect(await provider.mayKnow(quote.quoteId)).toBe(false);
  });

  it('is refused where 1Click does not know its address, and without a request where a field is missing', async () => {
    const quote = await lost();
    const object = JSON.parse(quote.text) as Json;
    const elsewhere = JSON.stringify({
      ...object,
      send: { ...object['send'], depositAddress: `0x${'44'.repeat(20)}` },
    });
    const found = await handOver(quote, elsewhere);
    expect(await found.readStatus()).toMatchObject({ kind: 'refused', httpStatus: 404 });
    const asked = world.oneClick.requests.length;
    const without = JSON.stringify({ ...object, recipient: null });
    await expect(provider.readLostQuote(quote.quoteId, without)).rejects.toMatchObject({
      httpStatus: 422,
      field: 'quote.recipient',
    });
    expect(world.oneClick.requests).toHaveLength(asked);
  });
});
