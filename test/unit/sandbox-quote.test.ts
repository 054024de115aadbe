import { describe, expect, it } from '@jest/globals';
import { base58 } from '@scure/base';
import { searchSandbox } from '../../src/providers/sandbox/sandbox-provider.ts';
import { NATIVE_ADDRESS, TOKENS, type Token } from '../../src/providers/sandbox/sandbox-tokens.ts';
import fc from 'fast-check';
import { readOrder, type Order } from '../../src/providers/sandbox/sandbox-order.ts';
import { buildQuote, type SandboxQuote } from '../../src/providers/sandbox/sandbox-quote.ts';
import { fromUnits, toUnits } from '../../src/domain/payment/amount.ts';
import type { QuoteRequest } from '../../src/domain/payment/quote.ts';
import { ProviderRefused } from '../../src/ports/payment-provider.ts';

const SOLANA = 792703809;
const BASE_USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';

describe("the sandbox's tables", () => {
  it('have each address once a chain, lowercase on EVM chains and 32 bytes of base58 on Solana', () => {
    const keys = TOKENS.map((token) => `${token.chainId} ${token.address}`);
    expect(new Set(keys).size).toBe(keys.length);
    const contracts = TOKENS.filter((token) => token.address !== NATIVE_ADDRESS);
    const mints = contracts.filter(({ chainId }) => chainId === SOLANA);
    const evm = contracts.filter(({ chainId }) => chainId !== SOLANA);
    for (const { address } of mints) expect(base58.decode(address)).toHaveLength(32);
    for (const { address } of evm) expect(address).toMatch(/^0x[0-9a-f]{40}$/);
  });

  it('know that USDC and USDT have 18 decimals on BNB Chain and 6 elsewhere', () => {
    for (const token of TOKENS.filter(({ symbol }) => symbol === 'USDC' || symbol === 'USDT'))
      expect(token.decimals).toBe(token.chainId === 56 ? 18 : 6);
  });
});

describe('the currency search of the sandbox', () => {
  it('keeps the case of a Solana address, however it was searched for', () => {
    const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
    expect(searchSandbox({ address: mint.toLowerCase() })).toMatchObject([{ address: mint, vmType: 'svm' }]);
  });

  it('finds by symbol or name, the exact symbol first', () => {
    const found = searchSandbox({ term: 'usdc', chainIds: [137, 42161] });
    expect(found.map(({ symbol }) => symbol)).toEqual(['USDC', 'USDC', 'USDC.e', 'USDC.e']);
    expect(searchSandbox({ term: 'tether', limit: 100 })).toHaveLength(9);
    expect(searchSandbox({ term: 'no such token' })).toEqual([]);
  });

  it('answers only verified tokens when asked to', () => {
    const search = { term: 'USDC', limit: 100 };
    const unverified = searchSandbox(search).filter(({ metadata }) => !metadata.verified);
    expect(unverified.map(({ symbol }) => symbol)).toEqual(['USDC.e', 'USDC.e']);
    expect(searchSandbox({ ...search, verified: true })).toHaveLength(9);
  });

  it('answers 20 by default, at most 100, and never fails on an odd limit', () => {
    expect(searchSandbox({})).toHaveLength(20);
    expect(searchSandbox({ limit: 3 })).toHaveLength(3);
    expect(searchSandbox({ limit: 5_000 }).length).toBe(Math.min(TOKENS.length, 100));
    expect(searchSandbox({ limit: 0 })).toHaveLength(1);
    expect(searchSandbox({ limit: Number.NaN })).toHaveLength(20);
  });

  it('has a default list of the native token and the dollars of each chain', () => {
    expect(searchSandbox({ defaultList: true, limit: 100 })).toHaveLength(27);
    expect(searchSandbox({ defaultList: true, chainIds: [1] }).map(({ symbol }) => symbol)).toEqual([
      'ETH',
      'USDC',
      'USDT',
    ]);
  });

  it('shows the namesakes on all chains when asked to', () => {
    const everywhere = searchSandbox({ address: BASE_USDC, includeAllChains: true });
    expect(everywhere).toHaveLength(9);
    expect(new Set(everywhere.map(({ symbol }) => symbol))).toEqual(new Set(['USDC']));
  });
});

describe('sandbox quote', () => {
  const QUOTE_ID = '5af8532c-5bf4-45c2-b099-1b36e96e91a3';
  const EVM_WALLET = '0xDeaDbeefdEAdbeefdEadbEEFdeadbeEFdEaDbeeF';
  const SOLANA_WALLET = 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy';
  const GOOD: QuoteRequest = {
    fromChainId: 8453,
    toChainId: 42161,
    fromToken: BASE_USDC,
    toToken: NATIVE_ADDRESS,
    amount: '3000.50',
    recipient: EVM_WALLET,
  };

  describe('a sandbox quote', () => {
    it('has every field of the spec, with exact amounts', () => {
      expect(quoteOf(GOOD)).toEqual({
        success: true,
        quoteId: QUOTE_ID,
        expiresIn: 300,
        send: {
          depositAddress: expect.stringMatching(/^0x[0-9a-f]{40}$/),
          chain: { id: 8453, name: 'Base' },
          token: { address: BASE_USDC, symbol: 'USDC', name: 'USD Coin', decimals: 6 },
          amount: '3000.50',
        },
        receive: {
          chain: { id: 42161, name: 'Arbitrum' },
          token: { address: NATIVE_ADDRESS, symbol: 'ETH', name: 'Ether', decimals: 18 },
          // 3000.50 - 0.003 gas - (0.003 + 1.50025) relayer - 15.0025 app = 2983.99125, at 3000 USD.
          estimatedAmount: '0.99466375',
          estimatedAmountUsd: '2983.99125',
        },
        recipient: EVM_WALLET,
        fees: {
          totalUsd: '16.50875',
          gas: { amount: '0.000001', usd: '0.003', currency: 'ETH' },
          relayer: { amount: '1.50325', usd: '1.50325', currency: 'USDC' },
          app: { amount: '15.0025', usd: '15.0025', currency: 'USDC' },
        },
        estimatedTime: '15s',
        steps: 2,
        statusUrl: `/api/status/${QUOTE_ID}`,
        depositNote: expect.stringMatching(/^SANDBOX - do not send funds\./),
      });
    });

    it('gives each quote id one deposit address, in the format of the source chain', () => {
      const onSolana = { ...GOOD, fromChainId: SOLANA, fromToken: NATIVE_ADDRESS };
      expect(base58.decode(quoteOf(onSolana).send.depositAddress)).toHaveLength(32);
      expect(quoteOf(GOOD).send.depositAddress).toBe(quoteOf(GOOD).send.depositAddress);
      const other = buildQuote('6af8532c-5bf4-45c2-b099-1b36e96e91a3', readOrder(GOOD), 1);
      expect(other.send.depositAddress).not.toBe(quoteOf(GOOD).send.depositAddress);
    });

    it('takes an EVM token in any case, and echoes amount and recipient digit by digit', () => {
      const quote = quoteOf({ ...GOOD, fromToken: `0x${BASE_USDC.slice(2).toUpperCase()}`, amount: '25.10' });
      expect(quote.send.token.address).toBe(BASE_USDC);
      expect(quote.send.amount).toBe('25.10');
      expect(quote.recipient).toBe(EVM_WALLET);
    });

    it('says how long it takes in the time that the client lives in', () => {
      const times = [1, 20, 5, 0.1].map(
        (speed) => buildQuote(QUOTE_ID, readOrder(GOOD), speed).estimatedTime,
      );
      expect(times).toEqual(['15s', '1s', '3s', '150s']);
    });
  });

  describe('the arithmetic of a sandbox quote', () => {
    const token = fc.constantFrom(...TOKENS);
    /** Amounts from a cent to millions of USD of any token, down to its last digit. */
    const orders = fc
      .tuple(token, token, fc.bigInt({ min: 1n, max: 10n ** 14n }), fc.bigInt({ min: 0n, max: 10n ** 18n }))
      .map(([from, to, usd, dust]) => requestOf(from, to, usd, dust))
      .map(tryOrder)
      .filter((order) => order !== null);

    it('receives what was sent minus the fees, to the smallest unit of the token', () => {
      fc.assert(
        fc.property(orders, (order) => {
          const quote = buildQuote(QUOTE_ID, order, 1);
          const sent = worthOf(quote.send.amount, order.from.token);
          const fees = toUnits(quote.fees.totalUsd, 38);
          const received = worthOf(quote.receive.estimatedAmount, order.to.token);
          const oneUnit = worthOf(fromUnits(1n, order.to.token.decimals), order.to.token);
          expect(received + fees <= sent).toBe(true);
          expect(sent - (received + fees) < oneUnit).toBe(true);
        }),
        { numRuns: 500 },
      );
    });

    it('adds the three fees up to the total, and 50 basis points of the amount are the app', () => {
      fc.assert(
        fc.property(orders, (order) => {
          const { fees, send } = buildQuote(QUOTE_ID, order, 1);
          const parts = micros(fees.gas.usd) + micros(fees.relayer.usd) + micros(fees.app.usd);
          expect(micros(fees.totalUsd)).toBe(parts);
          const exact = worthOf(send.amount, order.from.token) * 50n;
          const app = toUnits(fees.app.usd, 38) * 10_000n;
          expect(app >= exact && app - exact < 10n ** 32n * 10_000n).toBe(true);
        }),
      );
    });
  });

  describe('a request that the sandbox refuses', () => {
    const long = `0.${'0'.repeat(6)}1`;
    const cases: [string, Partial<QuoteRequest>, number, string][] = [
      ['an unknown source chain', { fromChainId: 2 }, 400, 'fromChainId'],
      ['an unknown destination chain', { toChainId: 1.5 }, 400, 'toChainId'],
      ['an unknown source token', { fromToken: EVM_WALLET }, 400, 'fromToken'],
      ['an unknown destination token', { toToken: '' }, 400, 'toToken'],
      ['a token of another chain', { toToken: BASE_USDC }, 400, 'toToken'],
      ['a Solana token in another case', solanaTo({ toToken: usdcOf(SOLANA).toLowerCase() }), 400, 'toToken'],
      ['more fraction digits than the token has', { amount: long }, 400, 'amount'],
      ['an amount that is none', { amount: '1e18' }, 400, 'amount'],
      ['an amount that the fees take', { amount: '0.001' }, 422, 'amount'],
      ['an amount too large', { amount: '1000000000.000001' }, 422, 'amount'],
      ['an amount beyond all reason', { amount: '9'.repeat(60) }, 422, 'amount'],
      ['a recipient of 39 digits', { recipient: EVM_WALLET.slice(0, -1) }, 400, 'recipient'],
      ['a Solana recipient on an EVM chain', { recipient: SOLANA_WALLET }, 400, 'recipient'],
      ['an EVM recipient on Solana', solanaTo({ recipient: EVM_WALLET }), 400, 'recipient'],
      ['a Solana refund address on an EVM chain', { refundTo: SOLANA_WALLET }, 422, 'refundTo'],
      ['a refund address that is a formula', { refundTo: '=1+1' }, 422, 'refundTo'],
      ['the same token on the same chain', { toChainId: 8453, toToken: BASE_USDC }, 422, 'toToken'],
    ];

    it.each(cases)('has %s', (_, change, httpStatus, field) => {
      const refusal = refusalOf({ ...GOOD, ...change });
      expect({ httpStatus: refusal.httpStatus, field: refusal.field }).toEqual({ httpStatus, field });
      expect(refusal.message).not.toBe('');
    });

    it('differs from its good neighbours', () => {
      const good: Partial<QuoteRequest>[] = [
        { amount: '1000000000' },
        { amount: '0.01' },
        { refundTo: EVM_WALLET },
        { toChainId: 1, toToken: NATIVE_ADDRESS },
        { toChainId: 8453, toToken: NATIVE_ADDRESS },
        { toChainId: 10, toToken: usdcOf(10) },
        solanaTo({}),
      ];
      for (const change of good) expect(quoteOf({ ...GOOD, ...change }).success).toBe(true);
    });
  });

  function quoteOf(request: QuoteRequest): SandboxQuote {
    return buildQuote(QUOTE_ID, readOrder(request), 1);
  }

  function solanaTo(change: Partial<QuoteRequest>): Partial<QuoteRequest> {
    return { toChainId: SOLANA, toToken: usdcOf(SOLANA), recipient: SOLANA_WALLET, ...change };
  }

  function usdcOf(chainId: number): string {
    return TOKENS.find((token) => token.chainId === chainId && token.symbol === 'USDC')?.address ?? '';
  }

  function refusalOf(request: QuoteRequest): ProviderRefused {
    try {
      readOrder(request);
    } catch (error) {
      if (error instanceof ProviderRefused) return error;
      throw error;
    }
    throw new Error('the request was not refused');
  }

  function requestOf(from: Token, to: Token, usd: bigint, dust: bigint): QuoteRequest {
    const unit = 10n ** BigInt(from.decimals);
    const units = (usd * unit) / 10n ** 6n / toUnits(from.priceUsd, 1) + (dust % unit);
    return {
      fromChainId: from.chainId,
      toChainId: to.chainId,
      fromToken: from.address,
      toToken: to.address,
      amount: fromUnits(units, from.decimals),
      recipient: to.chainId === SOLANA ? SOLANA_WALLET : EVM_WALLET,
    };
  }

  function micros(usd: string): bigint {
    return toUnits(usd, 6);
  }

  function tryOrder(request: QuoteRequest): Order | null {
    try {
      return readOrder(request);
    } catch {
      return null;
    }
  }

  /** The value in 10^-38 USD, of which the smallest unit of every token at every price is a multiple. */
  function worthOf(amount: string, token: Token): bigint {
    return toUnits(amount, 30) * toUnits(token.priceUsd, 8);
  }
});
