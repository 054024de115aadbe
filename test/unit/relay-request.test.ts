import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseRelayRequest } from '../../src/providers/relay/status/relay-request.ts';
import { toStatus } from '../../src/providers/relay/status/to-status.ts';
import { readReport } from '../../src/domain/payment/report.ts';
import {
  BASE,
  paidAddress,
  PAYER,
  QUOTED_AT,
  QUOTED_AT_S,
  readRow,
  relayAmount,
  relayQuote,
  relayRow,
  relayTransaction,
  route,
} from '../support/relay-rows.ts';
import { payableAt, parseChains } from '../../src/providers/relay/catalog/parse-chains.ts';
import type { RelayAnswer } from '../../src/providers/relay/relay-api.ts';
import { RelayChains } from '../../src/providers/relay/catalog/relay-chains.ts';
import { ProviderCredentials, ProviderUnavailable } from '../../src/ports/payment-provider.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import {
  BASE_USDC,
  BITCOIN,
  BITCOIN_NATIVE,
  chainsAnswer,
  knownChains,
  SOLANA,
  SOLANA_NATIVE,
  SOLANA_USDC,
  TRON,
  TRON_NATIVE,
  ZERO_ADDRESS,
} from '../support/relay-answers.ts';

const QUOTE = relayQuote();
const ADDRESS = QUOTE.depositAddress;

describe('a row of /requests/v3', () => {
  it('is read with all that a report needs', () => {
    const row = relayRow(
      QUOTE,
      { status: 'refund', sender: PAYER, refundTo: PAYER, depositAddress: paidAddress(QUOTE) },
      {
        failReason: 'SLIPPAGE',
        refundFailReason: 'MANUAL_REFUND_REQUIRED',
        inTxs: [relayTransaction('0xsweep', BASE, 1)],
        route: route(relayAmount('0025'), relayAmount('24')),
        refundCurrencyData: relayAmount('23'),
      },
    );
    const usdc = { chainId: BASE, address: expect.any(String), symbol: 'USDC', decimals: 6, isNative: false };
    expect(parseRelayRequest(row)).toEqual({
      id: QUOTE.requestId,
      status: 'refund',
      sender: PAYER,
      recipient: QUOTE.recipient,
      refundTo: PAYER,
      supersededBy: null,
      depositAddress: { address: ADDRESS, type: 'strict', depositor: PAYER, depositTxHash: '0xdeposit' },
      createdAt: QUOTED_AT,
      updatedAt: QUOTED_AT,
      failReason: 'SLIPPAGE',
      refundFailReason: 'MANUAL_REFUND_REQUIRED',
      inTxs: [
        { txHash: '0xsweep', chainId: BASE, status: 'success', at: new Date((QUOTED_AT_S + 1) * 1000) },
      ],
      outTxs: [],
      quoted: { ...usdc, raw: '25000000' },
      deposited: { ...usdc, raw: '25' },
      delivered: { ...usdc, raw: '24' },
      originOutput: null,
      gasTopup: null,
      refunded: { ...usdc, raw: '23' },
    });
  });

  it('is read in the shapes of v2 too', () => {
    const row = relayRow(
      QUOTE,
      { depositAddress: { address: ADDRESS, depositAddressType: 'open', depositTxHash: 'N/A' } },
      { failReason: 'N/A', inTxs: [{ hash: '0xsweep', chainId: '8453', timestamp: 'soon' }] },
    );
    expect(parseRelayRequest(row)).toMatchObject({
      depositAddress: { type: 'open', depositTxHash: null },
      failReason: null,
      inTxs: [{ txHash: '0xsweep', chainId: 8453, status: null, at: null }],
    });
    expect(parseRelayRequest({ id: 'r', depositAddress: ADDRESS })).toMatchObject({
      depositAddress: { address: ADDRESS },
    });
  });

  it('keeps a transfer behind many that failed', () => {
    const failed = Array.from({ length: 30 }, (_, index) => ({ txHash: `0x${index}`, status: 'failure' }));
    const row = relayRow(QUOTE, {}, { outTxs: [...failed, { txHash: '0xfill', status: 'success' }] });
    expect(parseRelayRequest(row)?.outTxs.map(({ txHash }) => txHash)).toEqual(['0xfill']);
  });

  it.each([[null], [undefined], ['row'], [7], [[]], [{}], [{ id: '' }], [{ id: 'N/A' }], [{ id: 7 }]])(
    'is none without an id: %j',
    (row) => {
      expect(parseRelayRequest(row)).toBeNull();
    },
  );

  it.each([[''], ['N/A'], ['n/a'], [' '], [null], [undefined], [5], ['x'.repeat(201)]])(
    'has no deposit transaction in %j',
    (depositTxHash) => {
      const row = relayRow(QUOTE, { depositAddress: { address: ADDRESS, depositTxHash } });
      expect(parseRelayRequest(row)?.depositAddress?.depositTxHash).toBeNull();
    },
  );

  it.each([['1.5'], ['-1'], ['1e3'], ['0x10'], [''], [12], [1e30], [null], ['9'.repeat(79)]])(
    'has no amount in %j',
    (amount) => {
      const row = relayRow(QUOTE, {}, { route: route(relayAmount(amount)) });
      expect(parseRelayRequest(row)?.deposited).toMatchObject({ raw: null });
    },
  );

  it('keeps words on one printable line', () => {
    const request = readRow(relayRow(QUOTE, { status: 'OD\u0000D\u202e' }, { failReason: 'a\r\nb\ud83d' }));
    expect(request).toMatchObject({ status: 'od d', failReason: 'a b' });
    const long = readRow(relayRow(QUOTE, { status: 'x'.repeat(999) }, { failReason: 'y'.repeat(999) }));
    expect([long.status.length, long.failReason?.length]).toEqual([60, 200]);
  });

  it('takes nothing for a transaction that has neither hash nor time, and a bounded number of them', () => {
    const inTxs = [null, {}, 'x', { txHash: '' }, { txHash: '', timestamp: QUOTED_AT_S }];
    expect(readRow(relayRow(QUOTE, {}, { inTxs })).inTxs).toEqual([
      { txHash: null, chainId: null, status: null, at: QUOTED_AT },
    ]);
    const outTxs = Array.from({ length: 100_000 }, (_, n) => relayTransaction(`0x${n}`, BASE, n));
    expect(readRow(relayRow(QUOTE, {}, { outTxs })).outTxs).toHaveLength(20);
  });
});

/** The shape of a row, with nonsense in any place. */
function oddRows(): fc.Arbitrary<unknown> {
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('N/A', '', '0xabc', 'SLIPPAGE', 'DOUBLE_SPEND', BASE, 1e21, -1, 0.5, ADDRESS),
  );
  const amount = fc.record(
    {
      amount: fc.oneof(odd, fc.bigInt({ min: 0n }).map(String)),
      currency: fc.record({ chainId: odd, address: odd, decimals: odd, symbol: odd }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  );
  const transactions = fc.array(
    fc.record({ txHash: odd, chainId: odd, timestamp: odd, status: odd }, { requiredKeys: [] }),
    { maxLength: 4 },
  );
  const end = fc.record({ inputCurrency: amount, outputCurrency: amount }, { requiredKeys: [] });
  const data = fc.record(
    {
      failReason: odd,
      refundFailReason: odd,
      inTxs: fc.oneof(odd, transactions),
      outTxs: fc.oneof(odd, transactions),
      refundCurrencyData: amount,
      route: fc.record({ actual: fc.record({ origin: end, destination: end }, { requiredKeys: [] }) }),
    },
    { requiredKeys: [] },
  );
  const statuses = 'waiting depositing pending submitted success refund failure unknown'.split(' ');
  return fc.record(
    {
      id: fc.oneof(odd, fc.constantFrom(QUOTE.requestId, 'b', 'c')),
      status: fc.oneof(odd, fc.constantFrom(...statuses)),
      supersededByRequestId: fc.oneof(odd, fc.constantFrom(QUOTE.requestId, 'b', 'c', null)),
      depositAddress: fc.oneof(
        odd,
        fc.record({ address: odd, depositor: odd, depositTxHash: odd }, { requiredKeys: [] }),
      ),
      createdAt: odd,
      updatedAt: odd,
      refundTo: odd,
      data: fc.oneof(odd, data),
    },
    { requiredKeys: [] },
  );
}

describe('whatever Relay says', () => {
  it('any JSON is a row or none', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const request = parseRelayRequest(value);
        expect(request === null || request.id.length > 0).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('any rows make a report of this quote that can be read, with exact amounts', () => {
    fc.assert(
      fc.property(
        fc.array(oddRows(), { maxLength: 5 }),
        fc.integer({ min: 0, max: 1_000 }),
        (values, afterS) => {
          const rows = values.flatMap((value) => parseRelayRequest(value) ?? []);
          const text = toStatus(QUOTE, rows, new Date(QUOTED_AT.getTime() + afterS * 1000));
          const report = readReport(JSON.parse(text), text);
          expect(report).toMatchObject({ quoteId: QUOTE.quoteId, status: expect.stringMatching(/./) });
          expect(report?.expiresAt).toEqual(QUOTE.expiresAt);
          const { depositTimes: _deposit, executionTimes: _execution, ...parts } = report?.partDigests ?? {};
          expect(Object.keys(parts)).toEqual(['deposit', 'gas', 'execution', 'error']);
          expect(text).not.toMatch(/"amount(Raw)?":(?!null|"\d+(\.\d+)?")/);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('rows make the same report in whatever order they come', () => {
    fc.assert(
      fc.property(fc.uniqueArray(oddRows(), { selector: idOf, maxLength: 5 }), (values) => {
        const rows = values.flatMap((value) => parseRelayRequest(value) ?? []);
        const [forth, back] = [rows, rows.toReversed()].map((each) => toStatus(QUOTE, each, QUOTED_AT));
        expect(back).toBe(forth);
      }),
      { numRuns: 1_000 },
    );
  });
});

function idOf(value: unknown): string {
  return parseRelayRequest(value)?.id ?? '';
}

const FRESH_MS = 300_000;
const DOWN: RelayAnswer = { kind: 'unavailable', reason: 'status 503', httpStatus: 503, retryAfterMs: 7_000 };

const chainOf = (id: number) => {
  const chain = knownChains().get(id);
  if (chain === undefined) throw new Error(`There is no chain ${id}.`);
  return chain;
};

describe("Relay's chains", () => {
  it.each([
    [1, 'Ethereum', 'eth', 'ETH'],
    [10, 'Optimism', 'op', 'ETH'],
    [56, 'BNB Chain', 'bnb', 'BNB'],
    [137, 'Polygon', 'matic', 'MATIC'],
    [8453, 'Base', 'base', 'ETH'],
    [42161, 'Arbitrum', 'arb', 'ETH'],
    [42220, 'Celo', 'celo', 'CELO'],
    [43114, 'Avalanche', 'avax', 'AVAX'],
    [SOLANA, 'Solana', 'sol', 'SOL'],
    [BITCOIN, 'Bitcoin', 'bitcoin', 'BTC'],
    [77, 'Strange', 'strange', 'DRM'],
  ])('have the names of the spec, or their own: %i is %s, %s, %s', (id, name, shortName, nativeToken) => {
    expect(chainOf(id)).toMatchObject({ id, name, shortName, nativeToken });
  });

  it.each([
    [8453, ['ETH', 'USDC']],
    [137, ['USDC']],
    [42220, ['USDC']],
    [43114, ['USDC']],
    [7_777_777, []],
    [34_443, []],
    [59_144, []],
  ])('of %i can be paid with %j', (id, symbols) => {
    expect(chainOf(id).payable.map(({ symbol }) => symbol)).toEqual(symbols);
  });

  it('without a list of what is taken can be paid with what is bridged', () => {
    const erc20Currencies = [
      { symbol: 'USDC', address: BASE_USDC, decimals: 6, supportsBridging: true },
      { symbol: 'OLD', address: `0x${'12'.repeat(20)}`, decimals: 18, supportsBridging: false },
    ];
    const currency = { symbol: 'ETH', address: ZERO_ADDRESS, decimals: 18, supportsBridging: true };
    const answer = { chains: [{ id: 8453, vmType: 'evm', currency, erc20Currencies }] };
    const payable = parseChains(answer)?.get(8453)?.payable ?? [];
    expect(payable.map(({ symbol }) => symbol)).toEqual(['ETH', 'USDC']);
  });

  it('do not take a native token that is listed but cannot be bridged', () => {
    const chain = {
      id: 137,
      vmType: 'evm',
      currency: { symbol: 'POL', address: ZERO_ADDRESS, decimals: 18, supportsBridging: false },
      solverCurrencies: [{ symbol: 'POL', address: ZERO_ADDRESS, decimals: 18 }],
    };
    expect(parseChains({ chains: [chain] })?.get(137)?.payable).toEqual([]);
  });

  it.each([
    [8453, ZERO_ADDRESS, 'ETH'],
    [8453, BASE_USDC.toUpperCase().replace('0X', '0x'), 'USDC'],
    [SOLANA, ZERO_ADDRESS, 'SOL'],
    [SOLANA, SOLANA_NATIVE, 'SOL'],
    [SOLANA, SOLANA_USDC, 'USDC'],
    [SOLANA, SOLANA_USDC.toLowerCase(), undefined],
    [137, ZERO_ADDRESS, undefined],
    [8453, `0x${'9'.repeat(40)}`, undefined],
  ])('on %i have at %s the token %s', (id, address, symbol) => {
    expect(payableAt(chainOf(id), address)?.symbol).toBe(symbol);
  });

  it.each([
    [BITCOIN, BITCOIN_NATIVE],
    [TRON, TRON_NATIVE],
    [77, 'dream'],
  ])('on %i have their native token at %s', (id, address) => {
    expect(chainOf(id).nativeAddress).toBe(address);
  });

  it('know the native address of a machine where Relay does not say it', () => {
    const chains = parseChains({ chains: [{ id: 5, vmType: 'svm' }, { id: 6, vmType: 'newvm' }, { id: 7 }] });
    expect([5, 6, 7].map((id) => chains?.get(id)?.nativeAddress)).toEqual([SOLANA_NATIVE, null, null]);
  });

  it.each([null, [], {}, { chains: {} }, { chains: [] }, { chains: [null, { id: -1 }] }, '<html>'])(
    'are none in %j',
    (value) => {
      expect(parseChains(value)).toBeNull();
    },
  );

  it('are read whatever their fields are', () => {
    const odd = {
      id: 3,
      solverCurrencies: [1, { address: 'x', decimals: 300 }, null],
      currency: 'ETH',
      depositFee: 0.8,
    };
    expect(parseChains({ chains: [odd] })?.get(3)).toEqual({
      id: 3,
      name: 'Chain 3',
      shortName: '3',
      nativeToken: '',
      vmType: 'unknown',
      nativeAddress: null,
      isDisabled: false,
      payable: [],
    });
  });
});

describe('the cache of chains', () => {
  const scene = () => {
    const clock = new FakeClock();
    const asked: string[] = [];
    const script = { answer: { kind: 'json', value: chainsAnswer() } as RelayAnswer };
    const api = {
      get: (path: string) => {
        asked.push(path);
        return Promise.resolve(script.answer);
      },
    };
    return { clock, asked, script, chains: new RelayChains(api, clock.timers) };
  };

  it('is filled once for all who ask, and for five minutes', async () => {
    const { clock, asked, chains } = scene();
    await Promise.all([chains.get(), chains.get(), chains.get()]);
    clock.advance(FRESH_MS - 1);
    expect((await chains.get()).size).toBe(knownChains().size);
    expect(asked).toEqual(['/chains']);
    clock.advance(1);
    await chains.get();
    expect(asked).toHaveLength(2);
  });

  it('serves what it has while Relay is down, and does not ask at each call', async () => {
    const { clock, asked, script, chains } = scene();
    const first = await chains.get();
    clock.advance(FRESH_MS);
    script.answer = DOWN;
    expect([await chains.get(), await chains.get()]).toEqual([first, first]);
    expect(asked).toHaveLength(2);
    clock.advance(10_000);
    script.answer = { kind: 'json', value: { chains: [{ id: 99 }] } };
    expect([...(await chains.get()).keys()]).toEqual([99]);
  });

  it('keeps what it has when the answer cannot be read', async () => {
    const { clock, script, chains } = scene();
    const first = await chains.get();
    clock.advance(FRESH_MS);
    script.answer = { kind: 'json', value: { chains: [] } };
    expect(await chains.get()).toBe(first);
  });

  it.each([
    [DOWN, new ProviderUnavailable('status 503', 7_000)],
    [{ kind: 'credentials' } as const, new ProviderCredentials()],
    [
      { kind: 'error', httpStatus: 404, code: null, message: 'no' } as const,
      new ProviderUnavailable('status 404'),
    ],
    [{ kind: 'json', value: '<html>' } as const, new ProviderUnavailable('unreadable answer')],
  ])("is Relay's failure %j as long as there never was a list", async (answer, error) => {
    const { script, chains } = scene();
    script.answer = answer;
    await expect(chains.get()).rejects.toEqual(error);
  });
});
