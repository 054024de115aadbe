import { describe, expect, it } from '@jest/globals';

import type { RelayQuote } from '../../src/providers/relay/quote/relay-quote.ts';
import { toStatus } from '../../src/providers/relay/status/to-status.ts';
import { ZERO_ADDRESS } from '../../src/providers/shared/vm-addresses.ts';
import { applyReport, openPayment } from '../../src/domain/transitions/apply-report.ts';
import { newPayment, type Payment } from '../../src/domain/payment/payment.ts';
import { readReport } from '../../src/domain/payment/report.ts';
import {
  ARBITRUM,
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
  USDC_ON_ARBITRUM,
  USDC_ON_BASE,
} from '../support/relay-rows.ts';

type Json = Record<string, unknown>;

const QUOTE = relayQuote();
const SWEEP = relayTransaction('0xsweep', BASE, 20);
const FILL = relayTransaction('0xfill', ARBITRUM, 30);
const FILL_PENDING = { ...FILL, status: 'pending' };
const BACK = relayTransaction('0xback', BASE, 40);
const DELIVERED = relayAmount('24900000', { chainId: ARBITRUM, address: USDC_ON_ARBITRUM });
const OTHER_TOKEN = relayAmount('24900000', { chainId: ARBITRUM, address: `0x${'77'.repeat(20)}` });
const WHOLE = route(relayAmount('25000000'), DELIVERED);
const DEPOSIT_HASH = `0x${'ab'.repeat(32)}`;

function after(seconds: number): Date {
  return new Date(QUOTED_AT.getTime() + seconds * 1000);
}

function statusOf(rows: readonly Json[], now = after(60), quote: RelayQuote = QUOTE): Json {
  return JSON.parse(toStatus(quote, rows.map(readRow), now)) as Json;
}

/** The status of a single row with these fields. */
function standing(partial: Json, data: Json = {}, now = after(60)): Json {
  return statusOf([relayRow(QUOTE, partial, data)], now);
}

/** A second deposit on the quote's address. */
function other(id: string, afterS: number, partial: Json = {}, data: Json = {}): Json {
  const createdAt = after(afterS).toISOString();
  return relayRow(QUOTE, { id, createdAt, depositAddress: paidAddress(QUOTE, `0x${id}`), ...partial }, data);
}

describe("Relay's words become the spec's statuses", () => {
  const paid = { depositAddress: paidAddress(QUOTE) };
  const table: [string, Json, Json, string][] = [
    ['waiting', { status: 'waiting' }, {}, 'AWAITING_DEPOSIT'],
    ['unknown', { status: 'unknown' }, {}, 'AWAITING_DEPOSIT'],
    ['waiting, with the payer’s transaction', { status: 'waiting', ...paid }, {}, 'DEPOSIT_RECEIVED'],
    ['unknown, with a sweep', { status: 'unknown' }, { inTxs: [SWEEP] }, 'DEPOSIT_RECEIVED'],
    ['depositing', { status: 'depositing' }, {}, 'DEPOSIT_RECEIVED'],
    ['received, of v1', { status: 'received' }, {}, 'DEPOSIT_RECEIVED'],
    ['pending without a sweep', { status: 'pending' }, {}, 'DEPOSIT_RECEIVED'],
    [
      'pending with a sweep that failed',
      { status: 'pending' },
      { inTxs: [{ ...SWEEP, status: 'failure' }] },
      'DEPOSIT_RECEIVED',
    ],
    ['pending with a sweep', { status: 'pending' }, { inTxs: [SWEEP] }, 'EXECUTING'],
    ['pending with a fill', { status: 'pending' }, { outTxs: [FILL] }, 'EXECUTING'],
    ['submitted', { status: 'submitted' }, {}, 'EXECUTING'],
    ['delayed', { status: 'delayed' }, {}, 'EXECUTING'],
    ['SUBMITTED in capitals', { status: 'SUBMITTED' }, {}, 'EXECUTING'],
    ['success', { status: 'success' }, {}, 'COMPLETED'],
    ['refund', { status: 'refund' }, {}, 'FAILED'],
    ['refunded', { status: 'refunded' }, {}, 'FAILED'],
    ['fallback, of v1', { status: 'fallback' }, {}, 'FAILED'],
    ['failure', { status: 'failure' }, {}, 'FAILED'],
  ];
  it.each(table)('%s', (_name, partial, data, status) => {
    expect(standing(partial, data)['status']).toBe(status);
  });

  it.each([
    ['rebalancing', 'RELAY_REBALANCING'],
    ['on hold: see v2', 'RELAY_ON_HOLD_SEE_V2'],
    ['???', 'RELAY'],
  ])('reports the word %j, which is not known, as %s', (word, status) => {
    expect(standing({ status: word })).toMatchObject({ status, error: null });
  });

  it.each([['expired'], ['COMPLETED'], ['Failed']])('never takes %s for a status of the spec', (word) => {
    expect(standing({ status: word })['status']).toBe(`RELAY_${word.toUpperCase()}`);
  });

  it('makes one anomaly of an unknown word, and goes on afterwards', () => {
    let payment: Payment = openPayment(newPayment({ ...BLANK, quoteId: QUOTE.quoteId }, QUOTED_AT)).payment;
    const published: string[] = [];
    const words = ['waiting', 'rebalancing', 'rebalancing', 'completed', 'submitted', 'success'];
    for (const word of words) {
      const text = toStatus(QUOTE, [readRow(relayRow(QUOTE, { status: word }))], after(60));
      const report = readReport(JSON.parse(text), text);
      if (report === null) throw new Error('not a report');
      const transition = applyReport(payment, report, after(60), { stalledAfterMs: 900_000 });
      payment = transition.payment;
      published.push(...transition.events.map(({ type, reason }) => `${type} ${reason ?? ''}`.trim()));
    }
    const anomaly = 'payment.anomaly unknown_status';
    expect(published).toEqual([anomaly, anomaly, 'payment.executing', 'payment.completed']);
  });
});

describe('the expiry is ours', () => {
  const rows = { none: [], waiting: [relayRow(QUOTE)] };
  it.each([
    [299, 'AWAITING_DEPOSIT'],
    [304.999, 'AWAITING_DEPOSIT'],
    [305, 'EXPIRED'],
    [86_400, 'EXPIRED'],
  ])('%s s after the quote nobody has paid: %s', (seconds, status) => {
    expect(statusOf(rows.none, after(seconds))['status']).toBe(status);
    expect(statusOf(rows.waiting, after(seconds))['status']).toBe(status);
  });

  it.each(['waiting', 'depositing', 'pending'])('a deposit at %s stops it, however late', (status) => {
    const late = standing({ status, depositAddress: paidAddress(QUOTE) }, {}, after(100_000));
    expect(late['status']).toBe('DEPOSIT_RECEIVED');
  });
});

const BLANK = { provider: 'http', orderId: null, metadata: null, expiresAt: null, expectedMs: null };

describe('the fields of a report', () => {
  it('are those of the spec before any deposit', () => {
    expect(statusOf([])).toEqual({
      success: true,
      quoteId: QUOTE.quoteId,
      status: 'AWAITING_DEPOSIT',
      createdAt: QUOTED_AT_S,
      expiresAt: QUOTED_AT_S + 300,
      depositAddress: QUOTE.depositAddress,
      deposit: null,
      gas: null,
      execution: { startedAt: null, completedAt: null, outputTxHash: null, steps: [] },
      route: {
        from: { chainId: BASE, chainName: 'Base', token: USDC_ON_BASE },
        to: { chainId: ARBITRUM, chainName: 'Arbitrum', token: USDC_ON_ARBITRUM },
        amount: '25000000',
        recipient: QUOTE.recipient,
      },
      error: null,
    });
  });

  it('report a completed payment with its deposit, its steps and what was delivered', () => {
    const topup = relayAmount('1000000000000000', {
      chainId: ARBITRUM,
      address: ZERO_ADDRESS,
      symbol: 'ETH',
      decimals: 18,
    });
    const row = relayRow(
      QUOTE,
      { status: 'success', depositAddress: paidAddress(QUOTE), updatedAt: after(50).toISOString() },
      {
        inTxs: [SWEEP],
        outTxs: [FILL],
        route: {
          actual: {
            origin: { inputCurrency: relayAmount('25000000') },
            destination: { outputCurrency: DELIVERED, currencyGasTopup: topup },
          },
        },
      },
    );
    expect(statusOf([row])).toMatchObject({
      status: 'COMPLETED',
      deposit: {
        txHash: '0xdeposit',
        from: PAYER,
        amount: '25',
        amountRaw: '25000000',
        expectedAmount: '25',
        expectedAmountRaw: '25000000',
        token: USDC_ON_BASE,
        match: 'exact',
        detectedAt: QUOTED_AT_S + 20,
        sweepTxHash: '0xsweep',
      },
      gas: {
        amount: '0.001',
        amountRaw: '1000000000000000',
        token: ZERO_ADDRESS,
        symbol: 'ETH',
      },
      execution: {
        startedAt: QUOTED_AT_S + 20,
        completedAt: QUOTED_AT_S + 30,
        outputTxHash: '0xfill',
        steps: [
          { type: 'deposit', chainId: BASE, txHash: '0xdeposit', status: null, timestamp: null },
          { type: 'sweep', chainId: BASE, txHash: '0xsweep', status: 'success', timestamp: QUOTED_AT_S + 20 },
          {
            type: 'fill',
            chainId: ARBITRUM,
            txHash: '0xfill',
            status: 'success',
            timestamp: QUOTED_AT_S + 30,
          },
        ],
        output: { amount: '24.9', amountRaw: '24900000', token: USDC_ON_ARBITRUM },
      },
      error: null,
    });
  });

  it.each(['pending', 'submitted', 'refund', 'failure'])(
    'report nothing as delivered while the status is %s',
    (status) => {
      const published = route(relayAmount('25000000'), DELIVERED);
      Object.assign((published['actual'] as { destination: Json }).destination, {
        currencyGasTopup: DELIVERED,
      });
      const report = standing({ status }, { inTxs: [SWEEP], outTxs: [FILL_PENDING], route: published });
      expect(report).toMatchObject({ gas: null, deposit: { amountRaw: '25000000' } });
      expect(report['execution']).not.toHaveProperty('output');
      expect(report['execution']).toMatchObject({ completedAt: null, outputTxHash: null });
    },
  );

  it('end a success with an amount alone by it, when it was last changed', () => {
    const data = { outTxs: [], route: route(null, DELIVERED) };
    const report = standing({ status: 'success', updatedAt: after(33).toISOString() }, data);
    expect(report).toMatchObject({
      status: 'COMPLETED',
      deposit: { txHash: null, amount: null, match: null },
      execution: {
        startedAt: null,
        completedAt: QUOTED_AT_S + 33,
        completedBy: 'amount',
        outputTxHash: null,
        steps: [],
      },
    });
  });

  it.each<[what: string, outTxs: Json[], actual?: Json]>([
    ['nothing', []],
    ['a transfer that failed', [{ ...FILL, status: 'failure' }]],
    ['the hash of the deposit on another chain', [{ ...FILL, txHash: '0xsweep' }]],
    ['the same in capitals', [{ ...FILL, txHash: DEPOSIT_HASH.toUpperCase().replace('X', 'x') }]],
    ['a transfer on the chain of the deposit', [BACK]],
    ['a transfer on a third chain', [{ ...FILL, chainId: 10 }]],
    ['an amount on the chain of the deposit', [], { origin: { outputCurrency: relayAmount('24990000') } }],
    ['the same as the amount of the destination', [], { destination: { outputCurrency: relayAmount('1') } }],
    ['an amount of another token', [], { destination: { outputCurrency: OTHER_TOKEN } }],
  ])('do not end a success with %s: the word alone proves nothing', (_what, outTxs, actual = {}) => {
    const depositAddress = paidAddress(QUOTE, DEPOSIT_HASH);
    const report = standing(
      { status: 'success', depositAddress },
      { inTxs: [SWEEP], outTxs, route: { actual } },
    );
    expect(report['status']).toBe('RELAY_SUCCESS_WITHOUT_OUTPUT');
  });

  it('name no transfer of a success by its amount that is no output of it', () => {
    const depositAddress = paidAddress(QUOTE, DEPOSIT_HASH);
    const outTxs = [
      { ...FILL, txHash: DEPOSIT_HASH },
      { ...FILL, chainId: 10 },
    ];
    const report = standing(
      { status: 'success', depositAddress },
      { outTxs, route: route(relayAmount('25000000'), DELIVERED) },
    );
    expect(report).toMatchObject({
      status: 'COMPLETED',
      execution: { completedBy: 'amount', outputTxHash: null, steps: [{ type: 'deposit' }] },
    });
  });

  it.each<[what: string, word: string, data: Json, anomalies: string[]]>([
    ['a failure beside a delivery', 'failure', { outTxs: [FILL], route: WHOLE }, []],
    ['a failure beside a transfer alone', 'failure', { outTxs: [FILL] }, []],
    [
      'a refund beside a delivery',
      'refund',
      { outTxs: [FILL, BACK], route: WHOLE, refundCurrencyData: relayAmount('20000000') },
      ['partly_refunded'],
    ],
  ])('of %s are COMPLETED, and say that it contradicts itself', (_what, status, data, anomalies) => {
    expect(standing({ status }, { inTxs: [SWEEP], ...data })).toMatchObject({
      status: 'COMPLETED',
      error: null,
      anomalies: [...anomalies, 'contradictory_output'],
      execution: { completedBy: 'transaction', outputTxHash: '0xfill' },
    });
  });

  it.each<[what: string, word: string, data: Json]>([
    ['a failure beside a transfer that is under way', 'failure', { outTxs: [FILL_PENDING], route: WHOLE }],
    ['a failure beside the hash of the sweep', 'failure', { outTxs: [{ ...FILL, txHash: '0xsweep' }] }],
    ['a failure beside an amount alone', 'failure', { outTxs: [], route: WHOLE }],
    ['a refund beside a transfer without an amount', 'refund', { outTxs: [FILL] }],
    [
      'a failure beside a transfer that is done and one that failed',
      'failure',
      { outTxs: [FILL, { ...FILL, txHash: '0xswap', status: 'failure' }] },
    ],
    [
      'a success whose refund is on the chain of the recipient',
      'success',
      { outTxs: [FILL], refundCurrencyData: DELIVERED },
    ],
    [
      'a refund on the chain of the recipient',
      'refund',
      { outTxs: [FILL], refundCurrencyData: DELIVERED, route: WHOLE },
    ],
  ])('of %s are FAILED', (_what, status, data) => {
    const report = standing({ status }, { inTxs: [SWEEP], ...data });
    expect([report['status'], report['anomalies']]).toEqual(['FAILED', undefined]);
  });

  it('say of less than the quote promised that it came short', () => {
    const quote = relayQuote({ minAmountOut: '24000000' });
    const row = (amount: string) =>
      relayRow(
        quote,
        { status: 'success' },
        { route: route(relayAmount('25000000'), { ...DELIVERED, amount }) },
      );
    expect(statusOf([row('23999999')], after(60), quote)).toMatchObject({ anomalies: ['short_output'] });
    expect(statusOf([row('24000000')], after(60), quote)).not.toHaveProperty('anomalies');
  });

  it('take the last fill on the recipient’s chain, no failed one and no refund of what was too much', () => {
    const outTxs = [
      relayTransaction('0xfirst', ARBITRUM, 25),
      FILL,
      { ...FILL, txHash: '0xfailed', status: 'failure' },
      BACK,
    ];
    const report = standing({ status: 'success' }, { outTxs });
    expect(report['execution']).toMatchObject({ outputTxHash: '0xfill', completedAt: QUOTED_AT_S + 30 });
    const { steps } = report['execution'] as { steps: Json[] };
    expect(steps.map(({ type }) => type)).toEqual(['fill', 'fill', 'fill', 'refund']);
  });

  it.each([
    ['25000000', { status: 'COMPLETED', anomalies: ['partly_refunded'] }],
    ['30000000', { status: 'COMPLETED', anomalies: undefined }],
  ])('with a refund beside the delivery of %s say whether the payment came in part', (paid, expected) => {
    const data = {
      route: route(relayAmount(paid), DELIVERED),
      outTxs: [FILL, BACK],
      refundCurrencyData: relayAmount('5000000'),
    };
    const { status, anomalies } = standing({ status: 'success' }, data);
    expect({ status, anomalies }).toEqual(expected);
  });

  it.each([
    ['failed', [{ ...FILL, status: 'failure' }, BACK], relayAmount('25000000')],
    ['is of no known chain', [{ ...BACK, chainId: null }], relayAmount('25000000')],
    ['is the refund, of no known chain', [BACK], { amount: '25000000' }],
  ])('are FAILED by a success with a refund whose other transfer %s', (_what, outTxs, refundCurrencyData) => {
    const data = { inTxs: [SWEEP], outTxs, refundCurrencyData };
    expect(standing({ status: 'success' }, data)['status']).toBe('FAILED');
  });

  it('are FAILED by a success whose only transfer is the refund', () => {
    const data = {
      route: route(relayAmount('25000000')),
      outTxs: [BACK],
      refundCurrencyData: relayAmount('25000000'),
    };
    expect(standing({ status: 'success' }, data)).toMatchObject({
      status: 'FAILED',
      error: expect.stringMatching(/^REFUNDED: /),
      execution: { outputTxHash: null, completedAt: null, refund: { state: 'refunded', amount: '25' } },
    });
  });

  it('take a fill on the chain of the deposit for one when the payment stays there', () => {
    const quote = relayQuote({ to: { ...QUOTE.to, chainId: BASE, chainName: 'Base' } });
    const actual = { origin: { outputCurrency: { ...DELIVERED, currency: relayAmount('1')['currency'] } } };
    const data = { outTxs: [{ ...FILL, chainId: BASE }], route: { actual } };
    const row = relayRow(quote, { status: 'success' }, data);
    expect(statusOf([row], after(60), quote)['execution']).toMatchObject({
      outputTxHash: '0xfill',
      steps: [{ type: 'fill' }],
      output: { amountRaw: '24900000' },
    });
  });

  it('name the payer’s own transaction once where nothing is swept', () => {
    const report = standing(
      { status: 'pending', depositAddress: paidAddress(QUOTE, '0xsweep') },
      { inTxs: [SWEEP] },
    );
    const { steps } = report['execution'] as { steps: Json[] };
    expect(steps).toEqual([
      { type: 'deposit', chainId: BASE, txHash: '0xsweep', status: 'success', timestamp: QUOTED_AT_S + 20 },
    ]);
  });

  it.each([
    ['seconds', QUOTED_AT_S + 20],
    ['milliseconds', (QUOTED_AT_S + 20) * 1000],
    ['digits', String(QUOTED_AT_S + 20)],
    ['ISO 8601', after(20).toISOString()],
  ])('are unix seconds, from %s', (_unit, timestamp) => {
    const report = standing({ status: 'pending' }, { inTxs: [{ ...SWEEP, timestamp }] });
    expect(report['deposit']).toMatchObject({ detectedAt: QUOTED_AT_S + 20 });
  });
});

describe('what was paid', () => {
  const native = relayQuote({
    from: { chainId: 792703809, chainName: 'Solana', address: ZERO_ADDRESS, symbol: 'SOL', decimals: 9 },
    depositAddress: '7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2',
    amount: '1500000000',
  });
  const sol = { chainId: 792703809, address: '11111111111111111111111111111111', decimals: 9 };
  const table: [string, RelayQuote, Json, Json][] = [
    ['exactly', QUOTE, relayAmount('25000000'), { match: 'exact', amount: '25' }],
    ['too little', QUOTE, relayAmount('24999999'), { match: 'underpaid', amount: '24.999999' }],
    ['too much', QUOTE, relayAmount('250000000'), { match: 'overpaid', amount: '250' }],
    [
      'the token in capitals',
      QUOTE,
      relayAmount('25000000', { address: USDC_ON_BASE.toUpperCase().replace('0X', '0x') }),
      { match: 'exact', token: USDC_ON_BASE },
    ],
    [
      'other decimals reported for the same token',
      QUOTE,
      relayAmount('25000000', { decimals: 18 }),
      { match: 'exact', amount: '25' },
    ],
    [
      'another token',
      QUOTE,
      relayAmount('25000000', { address: '0x4200000000000000000000000000000000000006', decimals: 18 }),
      { match: null, amount: '0.000000000025', token: '0x4200000000000000000000000000000000000006' },
    ],
    ['another chain', QUOTE, relayAmount('25000000', { chainId: 10 }), { match: null, amount: '25' }],
    [
      'another token of unknown decimals',
      QUOTE,
      relayAmount('25', { address: '0x01', decimals: null }),
      { match: null, amount: null, amountRaw: '25' },
    ],
    ['an amount that is no digits', QUOTE, relayAmount('2.5e7'), { match: null, amount: null }],
    ['an amount that is a number', QUOTE, relayAmount(25_000_000), { match: null, amountRaw: null }],
    [
      'a native token by Relay’s address',
      native,
      relayAmount('1500000000', sol),
      { match: 'exact', amount: '1.5', token: native.from.address },
    ],
    [
      'a native token by its mark',
      native,
      relayAmount('1', { ...sol, address: 'sol', metadata: { isNative: true } }),
      { match: 'underpaid', amount: '0.000000001', token: native.from.address },
    ],
  ];
  it.each(table)('%s', (_name, quote, paid, deposit) => {
    const row = relayRow(quote, { id: quote.requestId, status: 'depositing' }, { route: route(paid) });
    expect(statusOf([row], after(60), quote)['deposit']).toMatchObject(deposit);
  });

  it('keeps every digit of a large amount', () => {
    const amount = '115792089237316195423570985008687907853269984665640564039457584007913129639935';
    const quote = relayQuote({ amount, from: { ...QUOTE.from, decimals: 18 } });
    const row = relayRow(quote, { status: 'depositing' }, { route: route(relayAmount(amount)) });
    expect(statusOf([row], after(60), quote)['deposit']).toMatchObject({
      match: 'exact',
      amountRaw: amount,
      amount: '115792089237316195423570985008687907853269984665640564039457.584007913129639935',
    });
  });
});

describe('a payment that failed', () => {
  const refunded = relayAmount('24800000');
  const deposit = { depositAddress: paidAddress(QUOTE) };
  const failing = (failReason: unknown, refundFailReason: unknown = null): Json =>
    standing({ status: 'failure', ...deposit }, { failReason, refundFailReason });

  it('is REFUNDED with the facts of the refund', () => {
    const report = standing(
      { status: 'refund', refundTo: '0x3333333333333333333333333333333333333333', ...deposit },
      {
        failReason: 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL',
        outTxs: [BACK, { ...BACK, txHash: '0xrest' }],
        refundCurrencyData: refunded,
      },
    );
    expect(report).toMatchObject({
      status: 'FAILED',
      error: 'REFUNDED: the deposit was too small to be delivered (DEPOSITED_AMOUNT_TOO_LOW_TO_FILL)',
      execution: {
        outputTxHash: null,
        completedAt: null,
        refund: {
          state: 'refunded',
          txHash: '0xback',
          chainId: BASE,
          amount: '24.8',
          amountRaw: '24800000',
          token: USDC_ON_BASE,
          refundedTo: '0x3333333333333333333333333333333333333333',
          timestamp: QUOTED_AT_S + 40,
        },
      },
    });
    const { steps } = report['execution'] as { steps: Json[] };
    expect(steps.map(({ type }) => type)).toEqual(['deposit', 'refund', 'refund']);
  });

  it.each([ZERO_ADDRESS, '11111111111111111111111111111111'])(
    'went back to whoever paid where refunds go to %s',
    (refundTo) => {
      const report = standing({ status: 'refund', refundTo, ...deposit });
      expect(report['execution']).toMatchObject({ refund: { refundedTo: PAYER } });
    },
  );

  it('is REFUNDED also without a hash, a reason and an amount', () => {
    expect(standing({ status: 'refund' }, { failReason: 'N/A' })).toMatchObject({
      status: 'FAILED',
      error: 'REFUNDED: the provider gave no reason',
      execution: {
        refund: { state: 'refunded', txHash: null, chainId: null, amount: null, refundedTo: null },
      },
    });
  });

  it.each([
    ['EXECUTION_REVERTED', 'the delivery was reverted on its chain (EXECUTION_REVERTED)'],
    ['BRAND_NEW_REASON', 'BRAND_NEW_REASON'],
    ['UNKNOWN', 'no reason was recorded (UNKNOWN)'],
    ['N/A', 'the provider gave no reason'],
    [null, 'the provider gave no reason'],
    [{ odd: 1 }, 'the provider gave no reason'],
  ])('for %j with a refund to come', (failReason, words) => {
    expect(failing(failReason)).toMatchObject({
      status: 'FAILED',
      error: `${words}; the refund is still to come`,
      execution: { refund: { state: 'pending', txHash: null, refundedTo: null } },
    });
  });

  it.each([
    ['AMOUNT_TOO_LOW_TO_REFUND', 'impossible', 'nothing can be refunded'],
    ['NEGATIVE_NEW_AMOUNT_AFTER_FEES', 'impossible', 'nothing can be refunded'],
    ['SWAP_CURRENCY_NOT_ON_ORIGIN', 'manual', 'the refund has to be asked for'],
    ['REFUND_RECIPIENT_IS_VASP', 'manual', 'the refund has to be asked for'],
    ['MANUAL_REFUND_REQUIRED', 'manual', 'the refund has to be asked for'],
    ['SOMETHING_NEW', 'manual', 'the refund has to be asked for'],
  ])('with a refund that failed by %s', (refundFailReason, state, words) => {
    const report = failing('SLIPPAGE', refundFailReason);
    expect(report['execution']).toMatchObject({ refund: { state } });
    expect(report['error']).toContain(`the price moved too far (SLIPPAGE); ${words}: `);
    expect(report['error']).toContain(refundFailReason);
  });

  it('at a blocked wallet says that the funds are held', () => {
    expect(failing('BLOCKED_WALLET')).toMatchObject({
      error: 'the wallet is blocked, and the funds are held (BLOCKED_WALLET); the refund has to be asked for',
      execution: { refund: { state: 'manual' } },
    });
  });

  it('reports a refund that failed also where no transaction is listed', () => {
    const report = standing({ status: 'failure' }, { refundFailReason: 'AMOUNT_TOO_LOW_TO_REFUND' });
    expect(report['execution']).toMatchObject({ refund: { state: 'impossible' } });
    expect(report['error']).toContain('nothing can be refunded');
  });

  it('without any deposit promises no refund', () => {
    const report = standing({ status: 'failure' }, { failReason: 'ORDER_EXPIRED' });
    expect(report).toMatchObject({ deposit: null, error: expect.not.stringContaining('refund') });
    expect(report['execution']).not.toHaveProperty('refund');
  });
});

describe('several requests on one address', () => {
  const success = { status: 'success' };
  const underpaid = { route: route(relayAmount('1000')) };
  const inFull = { route: route(relayAmount('25000000')) };
  const doubleSpend = { failReason: 'DOUBLE_SPEND' };
  const orphan = { failReason: 'ORPHANED_DEPOSIT_REFUND' };
  const original = (partial: Json = {}, data: Json = {}): Json => relayRow(QUOTE, partial, data);
  const paid = { status: 'pending', depositAddress: paidAddress(QUOTE) };
  const to = (supersededByRequestId: string, partial: Json = {}): Json =>
    original({ supersededByRequestId, ...partial });

  const table: [string, Json[], Json][] = [
    [
      'a deposit that was quoted anew shows the state of the unpaid original',
      [original(), other('b', 10, { status: 'submitted' })],
      { status: 'EXECUTING', deposit: { txHash: '0xb' } },
    ],
    [
      'the original stands for itself once it is paid',
      [original(paid), other('b', 10, { status: 'submitted' })],
      { status: 'DEPOSIT_RECEIVED' },
    ],
    [
      'the newest of several that are under way',
      [original(), other('b', 10, { status: 'submitted' }), other('c', 20, { status: 'depositing' })],
      { status: 'DEPOSIT_RECEIVED', deposit: { txHash: '0xc' } },
    ],
    [
      'a refund does not hide an older one that is under way',
      [original(), other('b', 10, { status: 'submitted' }), other('c', 20, { status: 'refund' })],
      { status: 'EXECUTING' },
    ],
    [
      'a success wins over an original that failed',
      [original({ ...paid, status: 'failure' }), other('b', 10, success)],
      { status: 'COMPLETED', error: null },
    ],
    [
      'a success wins over later failures',
      [original({ ...paid, ...success }), other('b', 10, { status: 'failure' })],
      { status: 'COMPLETED' },
    ],
    [
      'a refunded second deposit leaves a payment that succeeded',
      [original(success), other('b', 10, { status: 'refund' }, doubleSpend)],
      { status: 'COMPLETED' },
    ],
    [
      'a refunded second deposit leaves a payment that is under way',
      [original(paid), other('b', 10, { status: 'refund' }, doubleSpend)],
      { status: 'DEPOSIT_RECEIVED', error: null },
    ],
    [
      'a refunded second deposit leaves a re-quoted payment that is under way',
      [original(), other('b', 10, { status: 'submitted' }), other('c', 20, { status: 'refund' }, orphan)],
      { status: 'EXECUTING', error: null },
    ],
    [
      'a stray refund does not replace the reason of a payment that failed',
      [
        original({ ...paid, status: 'refund' }, { failReason: 'SLIPPAGE' }),
        other('b', 10, { status: 'refund' }, doubleSpend),
      ],
      { status: 'FAILED', error: expect.stringContaining('SLIPPAGE') },
    ],
    [
      'a stray refund is reported when there is nothing else',
      [original(), other('b', 10, { status: 'refund' }, orphan)],
      { status: 'FAILED', error: expect.stringContaining('ORPHANED_DEPOSIT_REFUND') },
    ],
    [
      'a stray refund does not hide why the deposit before it failed',
      [
        original(),
        other('b', 10, { status: 'refund' }, { failReason: 'SLIPPAGE' }),
        other('c', 20, { status: 'refund' }, doubleSpend),
      ],
      { status: 'FAILED', error: expect.stringContaining('SLIPPAGE') },
    ],
    [
      'an original that was refunded as a second deposit yields to the first',
      [original({ ...paid, status: 'refund' }, doubleSpend), other('b', 10, { status: 'submitted' })],
      { status: 'EXECUTING', error: null },
    ],
    [
      'an original that was paid and refunded stays FAILED while another deposit is under way',
      [
        original({ ...paid, status: 'refund' }, { failReason: 'SLIPPAGE' }),
        other('b', 10, { status: 'submitted' }),
      ],
      { status: 'FAILED', error: expect.stringContaining('SLIPPAGE') },
    ],
    [
      'an original that ended unpaid yields to a deposit',
      [original({ status: 'failure' }), other('b', 10, { status: 'submitted' })],
      { status: 'EXECUTING' },
    ],
    [
      'a deposit of another request only, without the original',
      [other('b', 10, { status: 'depositing' })],
      { status: 'DEPOSIT_RECEIVED' },
    ],
    [
      'an unpaid request of another kind says nothing',
      [other('b', 10, { status: 'waiting', depositAddress: null })],
      { status: 'AWAITING_DEPOSIT', deposit: null },
    ],
    [
      'the successor stands for what it continues',
      [to('b', { ...paid, status: 'failure' }), other('b', 10, { status: 'submitted' })],
      { status: 'EXECUTING', error: null },
    ],
    [
      'the last of several successors stands for all',
      [to('b'), other('b', 1, { supersededByRequestId: 'c' }), other('c', 2, { status: 'refund' })],
      { status: 'FAILED' },
    ],
    [
      'the end of a request whose successor is not in sight is not the payment’s',
      [to('gone', { ...paid, status: 'failure' })],
      { status: 'DEPOSIT_RECEIVED', error: null },
    ],
    [
      'a successor without a deposit of its own keeps the one it continues',
      [to('b', { ...paid, status: 'failure' }), other('b', 10, { depositAddress: null })],
      { status: 'DEPOSIT_RECEIVED', deposit: { txHash: '0xdeposit' } },
    ],
    [
      'a circle of successors ends',
      [to('b'), other('b', 1, { supersededByRequestId: QUOTE.requestId, status: 'pending' })],
      { status: 'DEPOSIT_RECEIVED' },
    ],
    ['a request that continues itself', [to(QUOTE.requestId, paid)], { status: 'DEPOSIT_RECEIVED' }],
    [
      'a success that was continued all the same stands',
      [to('b', { ...paid, ...success }), other('b', 10, { status: 'refund' })],
      { status: 'COMPLETED' },
    ],
    [
      'a row that was read twice counts as it was last changed',
      [original({ ...success, updatedAt: after(50).toISOString() }), original(paid)],
      { status: 'COMPLETED' },
    ],
    [
      'crumbs that were delivered do not stand for a payment that is there in full',
      [original(), other('b', 10, success, underpaid), other('c', 20, success, inFull)],
      {
        status: 'COMPLETED',
        deposit: { match: 'exact', txHash: '0xc', further: { count: 1, amounts: [{ amount: '0.001' }] } },
      },
    ],
  ];
  it.each(table)('%s', (_name, rows, published) => {
    expect(statusOf(rows)).toMatchObject(published);
    expect(statusOf(rows.toReversed())).toEqual(statusOf(rows));
  });

  it('report what came besides without moving the payment', () => {
    const one = statusOf([original({ ...paid, ...success }, inFull)]);
    const three = statusOf([
      original({ ...paid, ...success }, inFull),
      other('b', 10, success, { route: route(relayAmount('5000000')) }),
      other('c', 20, success),
    ]);
    expect(one['deposit']).not.toHaveProperty('further');
    expect(three).toEqual({
      ...one,
      deposit: {
        ...(one['deposit'] as Json),
        further: {
          count: 2,
          amounts: [
            { amount: '5', amountRaw: '5000000', token: USDC_ON_BASE },
            { amount: null, amountRaw: null, token: null },
          ],
        },
      },
    });
  });

  it('report no more than ten of very many further deposits', () => {
    const many = Array.from({ length: 400 }, (_, n) => other(`n${n}`, n, success, inFull));
    const { deposit } = statusOf([original(success, inFull), ...many]) as { deposit: { further: Json } };
    expect(deposit.further).toMatchObject({ count: 400 });
    expect(deposit.further['amounts']).toHaveLength(10);
  });
});

describe('a report', () => {
  it('is the same text for the same facts at any time, until the quote expires unpaid', () => {
    const paid = [readRow(relayRow(QUOTE, { status: 'depositing' }))];
    expect(toStatus(QUOTE, paid, after(10_000))).toBe(toStatus(QUOTE, paid, after(1)));
    expect(toStatus(QUOTE, [], after(304))).toBe(toStatus(QUOTE, [], after(1)));
    expect(toStatus(QUOTE, [], after(305))).not.toBe(toStatus(QUOTE, [], after(1)));
  });

  it('does not change with when Relay last touched a row that still waits', () => {
    const rows = [after(1), after(9)].map((at) => [
      readRow(relayRow(QUOTE, { updatedAt: at.toISOString() })),
    ]);
    const [first = [], second = []] = rows;
    expect(toStatus(QUOTE, first, after(60))).toBe(toStatus(QUOTE, second, after(60)));
  });
});

describe('what was paid for a delivery', () => {
  const delivered = (paid: Json): Json =>
    relayRow(QUOTE, { status: 'success' }, { route: route(paid, DELIVERED) });

  it('names the chain of a deposit elsewhere, of whatever token', () => {
    const elsewhere = relayAmount('25000000', { chainId: ARBITRUM, address: USDC_ON_ARBITRUM });
    expect(statusOf([delivered(elsewhere)])['deposit']).toMatchObject({ chainId: ARBITRUM, match: null });
    expect(statusOf([delivered(relayAmount('25000000'))])['deposit']).not.toHaveProperty('chainId');
  });

  it.each([
    ['1000000000000000000', 'exact'],
    ['1', 'underpaid'],
  ])('knows a native token by its symbol, however Relay writes its address: %s is %s', (paid, match) => {
    const from = { ...QUOTE.from, address: ZERO_ADDRESS, symbol: 'HYPE', decimals: 18 };
    const quote = { ...QUOTE, from, amount: '1000000000000000000' };
    const inMachineTerms = relayAmount(paid, { address: 'hype:native', symbol: 'HYPE', decimals: 18 });
    expect(statusOf([delivered(inMachineTerms)], after(60), quote)).toMatchObject({
      status: 'COMPLETED',
      deposit: { match, token: ZERO_ADDRESS },
    });
  });

  it('is the sum in full once that came after a part', () => {
    const short = other('0', 0, { status: 'success' }, { route: route(relayAmount('1000000'), DELIVERED) });
    const full = other('1', 1, { status: 'success' }, { route: route(relayAmount('25000000'), DELIVERED) });
    expect((statusOf([short])['deposit'] as Json)['match']).toBe('underpaid');
    expect((statusOf([short, full])['deposit'] as Json)['match']).toBe('exact');
  });
});
