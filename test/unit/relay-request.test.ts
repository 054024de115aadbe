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

  it('delivers on its own chain by what came out there', () => {
    const actual = { origin: { outputCurrency: relayAmount('7') } };
    const request = parseRelayRequest(relayRow(QUOTE, {}, { route: { actual } }));
    expect(request).toMatchObject({ deposited: null, delivered: { raw: '7' } });
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

/** The shape of a row, with nonsense wherever it may be. */
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
  const statuses = [
    'waiting',
    'depositing',
    'pending',
    'submitted',
    'success',
    'refund',
    'failure',
    'unknown',
  ];
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
          expect(Object.keys(report?.partDigests ?? {})).toEqual(['deposit', 'gas', 'execution', 'error']);
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
