import { describe, expect, it } from '@jest/globals';

import type { Verify } from '../../src/domain/proof/verification.ts';
import { amountsOf, judgeSums, USUAL_SUMS } from '../../src/domain/payment/amounts.ts';
import { applyReport } from '../../src/domain/transitions/apply-report.ts';
import { newPayment } from '../../src/domain/payment/payment.ts';
import { readReport, type Report } from '../../src/domain/payment/report.ts';

type Json = Record<string, unknown>;

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const OTHER = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const OUT = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';
const NOW = new Date('2026-11-29T12:00:00Z');
const ZERO = `0x${'0'.repeat(40)}`;

/** 25.42 USDC from Base for at least 25 on Arbitrum. */
const quoteOf = (send: Json = {}, receive: Json = {}): string =>
  JSON.stringify({
    send: {
      chain: { id: 8453 },
      token: { address: USDC, symbol: 'USDC', decimals: 6 },
      amount: '25.42',
      ...send,
    },
    receive: {
      token: { address: OUT, symbol: 'USDC', decimals: 6 },
      estimatedAmount: '25.30',
      minimumAmount: '25',
      ...receive,
    },
  });

const reportOf = (deposit: unknown, more: Json = {}): string =>
  JSON.stringify({ status: 'COMPLETED', deposit, route: { amount: '25420000' }, ...more });

const came = (amount: unknown, more: Json = {}): string => reportOf({ amount, ...more });

const judged = (report: string, quote: string | null = quoteOf(), toleranceBps = 100) =>
  judgeSums(quote, report, { ...USUAL_SUMS, toleranceBps });

describe('the sum that came', () => {
  it.each<[what: string, report: string, came: string | null, match: string, quote?: string | null]>([
    ['all of it', came('25.42'), '25.42', 'exact'],
    ['all of it, with zeros', came('25.4200'), '25.4200', 'exact'],
    ['a hundredth', came('0.25'), '0.25', 'underpaid'],
    ['nearly the double', came('50.00'), '50.00', 'overpaid'],
    ['a percent less', came('25.1658'), '25.1658', 'exact'],
    ['a unit less than that', came('25.165799'), '25.165799', 'underpaid'],
    ['a percent more', came('25.6742'), '25.6742', 'exact'],
    ['a unit more than that', came('25.674201'), '25.674201', 'overpaid'],
    ['nothing', came('0'), '0', 'underpaid'],
    ['a number instead of a text', '{"status":"COMPLETED","deposit":{"amount":25.42}}', '25.42', 'exact'],
    ['the smallest unit beside it', came('1', { amountRaw: '25420000' }), '25.42', 'exact'],
    ['the smallest unit as the amount', came('25420000'), '25.42', 'exact'],
    ['another sum in the smallest unit', came('12710000'), null, 'unknown'],
    ['no amount', came(null), null, 'unknown'],
    ['no amount by a word', came('much'), null, 'unknown'],
    ['no deposit at all', reportOf(null), null, 'unknown'],
    [
      'the token in other letters',
      came('25.42', { token: USDC.toUpperCase().replace('X', 'x') }),
      '25.42',
      'exact',
    ],
    ['the token by its symbol', came('25.42', { token: 'usdc' }), '25.42', 'exact'],
    ['the token as an object', came('25.42', { token: { address: USDC } }), '25.42', 'exact'],
    ['another token', came('25.42', { token: OTHER }), null, 'unknown'],
    ['a token that is not known', came('25.42', { token: null }), null, 'unknown'],
    ['another symbol', came('25.42', { token: 'USDT' }), null, 'unknown'],
    ['another chain', came('25.42', { token: USDC, chainId: 1 }), null, 'unknown'],
    ['no quote', came('25.42'), '25.42', 'unknown', null],
    ['no quote, and a sum in the report', came('1', { expectedAmount: '25.42' }), '1', 'underpaid', null],
    ['a quote in numbers', came('25.42'), '25.42', 'exact', quoteOf({ amount: 25.42 })],
    ['less, which is enough', came('24'), '24', 'exact', quoteOf({ minimumAmount: '24' })],
    ['less than enough', came('23.9'), '23.9', 'underpaid', quoteOf({ minimumAmount: '24' })],
    [
      'the native coin by another spelling',
      came('25.42', { token: `0x${'e'.repeat(40)}` }),
      '25.42',
      'exact',
      quoteOf({ token: { address: ZERO, decimals: 18 } }),
    ],
  ])('%s', (_what, report, sum, match, quote = quoteOf()) => {
    expect(judged(report, quote)?.match).toBe(match);
    expect(amountsOf(quote, report, 'exact').send.came).toBe(sum);
  });

  it('is compared without a tolerance where none is set', () => {
    expect(judged(came('25.419999'), quoteOf(), 0)?.match).toBe('underpaid');
    expect(judged(came('25.420001'), quoteOf(), 0)?.match).toBe('overpaid');
    expect(judged(came('25.42'), quoteOf(), 0)?.match).toBe('exact');
  });

  it.each([
    ['AWAITING_DEPOSIT', null, true],
    ['AWAITING_DEPOSIT', { amount: '1' }, false],
    ['EXPIRED', null, true],
    ['DEPOSIT_RECEIVED', null, false],
  ])('says nothing before the deposit: %s with %j', (status, deposit, isNone) => {
    expect(judged(reportOf(deposit, { status })) === null).toBe(isNone);
  });
});

describe('the sum that arrived', () => {
  const arrived = (output: Json): string =>
    came('25.42').replace('"route"', `"execution":${JSON.stringify({ output })},"route"`);

  it.each<[what: string, output: Json, arrived: string | null, isShort: boolean, receive?: Json]>([
    ['all of it', { amount: '25.3', token: OUT }, '25.3', false],
    ['the least', { amount: '25' }, '25', false],
    ['less than the least', { amount: '24.999999' }, '24.999999', true],
    ['of another token', { amount: '1', token: OTHER }, null, false],
    ['not said', {}, null, false],
    ['less than an estimate', { amount: '20' }, '20', false, { minimumAmount: undefined }],
  ])('%s', (_what, output, sum, isShort, receive = {}) => {
    const quote = quoteOf({}, receive);
    expect(judged(arrived(output), quote)?.isShort).toBe(isShort);
    expect(amountsOf(quote, arrived(output), 'exact')).toEqual({
      send: { asked: '25.42', came: '25.42', token: USDC },
      receive: { promised: 'minimumAmount' in receive ? '25.30' : '25', arrived: sum, token: OUT },
      match: 'exact',
    });
  });
});

describe('a payment whose sums are wrong', () => {
  const read = (text: string): Report => readReport(JSON.parse(text), text) as Report;
  const from = { quoteId: 'q', provider: 'http', orderId: null, metadata: null, expiresAt: null };
  const payment = newPayment({ ...from, expectedMs: null, quoteText: quoteOf() }, NOW);
  const told = (text: string, rules: { failsUnderpaid?: boolean; verify?: Verify } = {}, start = payment) => {
    const { failsUnderpaid = false, ...others } = rules;
    return applyReport(start, read(text), NOW, {
      stalledAfterMs: 900_000,
      ...others,
      sums: { ...USUAL_SUMS, failsUnderpaid },
    });
  };
  const eventsOf = (...args: Parameters<typeof told>): string[] =>
    told(...args).events.map(({ type, reason }) => reason ?? type);
  const ANOMALIES = { anomalies: ['short_output', 'partly_refunded'] };

  it.each<[what: string, report: string, events: string[]]>([
    ['exact', came('25.42'), ['payment.completed']],
    ['a part', came('1'), ['underpaid', 'payment.completed']],
    ['too much', came('50'), ['overpaid', 'payment.completed']],
    ['of another token', came('25.42', { token: OTHER }), ['other_token_received', 'payment.completed']],
    [
      'a part, of which a part went back and little arrived',
      reportOf({ amount: '1' }, ANOMALIES),
      ['underpaid', 'partly_refunded', 'short_output', 'payment.completed'],
    ],
    ['not said', came(null), ['payment.completed']],
    ['a part, before the end', reportOf({ amount: '1' }, { status: 'EXECUTING' }), ['payment.executing']],
    [
      'of another token, before the end',
      reportOf({ amount: '1', token: 'USDT' }, { status: 'AWAITING_DEPOSIT' }),
      ['other_token_received'],
    ],
  ])('tells of it before it completes: %s', (_what, report, events) => {
    expect(eventsOf(report)).toEqual(events);
    const { payment: after, events: drafts } = told(report);
    expect(drafts.map(({ sequence }) => sequence)).toEqual(drafts.map((_, index) => index + 1));
    expect(eventsOf(report, {}, after)).toEqual([]);
  });

  it('tells of it while the completion waits for its proof', () => {
    const executing = told(came('1', {}).replace('COMPLETED', 'EXECUTING')).payment;
    expect(eventsOf(came('1'), { verify: 'require' }, executing)).toContain('underpaid');
  });

  it.each([
    ['a part', came('1'), 'UNDERPAID: 1 came instead of 25.42 USDC, and was delivered.'],
    [
      'part back',
      reportOf({ amount: '25.42' }, ANOMALIES),
      'REFUNDED: a part was delivered, and a part went back',
    ],
    [
      'another token',
      came('1', { token: 'USDT' }),
      'UNDERPAID: another token came instead of 25.42 USDC, and was delivered.',
    ],
  ])('fails where the merchant wants it so: %s', (_what, report, error) => {
    const { payment: failed, events, report: stored } = told(report, { failsUnderpaid: true });
    expect(events.map(({ type }) => type)).toEqual(['payment.failed']);
    expect(JSON.parse(stored?.text ?? '')).toMatchObject({ status: 'FAILED', error });
    expect(eventsOf(report, { failsUnderpaid: true }, failed)).toEqual([]);
    expect(eventsOf(came('25.42'), { failsUnderpaid: true }, failed)).toEqual(['payment.completed']);
  });

  it('stays completed though the merchant now wants it otherwise', () => {
    const { payment: completed } = told(came('1'));
    expect(eventsOf(came('1'), { failsUnderpaid: true }, completed)).toEqual([]);
  });

  it('keeps how the stored report matches', () => {
    expect(payment.match).toBe(null);
    expect(told(came('1')).payment.match).toBe('underpaid');
    expect(told(reportOf(null, { status: 'AWAITING_DEPOSIT' })).payment.match).toBe(null);
    expect(told(reportOf(null, { status: 'ROUTING' }), {}, told(came('25.42')).payment).payment.match).toBe(
      'exact',
    );
  });
});
