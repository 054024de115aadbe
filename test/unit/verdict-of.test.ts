import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { verdictOf, type PaybellEvent, type VerdictOptions } from '../../packages/client/src/index.ts';
import { VERDICTS } from '../../packages/client/src/verdicts.ts';
import { ANOMALY_REASONS } from '../../src/domain/event/event-data.ts';
import { testEvent } from '../../src/domain/event/stamp-event.ts';
import { CONTRADICTIONS_ON_CHAIN } from '../../src/domain/proof/verification.ts';
import { eventOfPayment } from '../support/paybell-events.ts';

type Reason = keyof typeof VERDICTS;

const OWN = '0xAbCd000000000000000000000000000000000001';
const PAYERS = '0x2000000000000000000000000000000000000026';

/** The sums of a completion. */
const sums = (match: string, arrived: string | null = null): object => ({
  amounts: { match, receive: { promised: '25.40', arrived } },
});
const noneCame = { amounts: { match: 'unknown', send: { came: null }, receive: { arrived: null } } };
const failure = (error: string, refundedTo?: string): object => ({
  status: 'FAILED',
  payment: { error, execution: refundedTo === undefined ? null : { refund: { refundedTo } } },
});
const COMPLETED = { status: 'COMPLETED' };

const ROWS: readonly (readonly [Reason, type: string, data?: object, options?: VerdictOptions])[] = [
  ['awaiting_deposit', 'created'],
  ['deposit_received', 'deposit_received'],
  ['deposit_received', 'deposit_received', sums('underpaid')],
  ['executing', 'executing'],
  ['late_deposit', 'deposit_received', { late: true }],
  ['late_deposit', 'executing', { late: true }],
  ['paid', 'completed', sums('exact')],
  ['paid', 'completed', sums('exact', '25.40')],
  ['paid', 'completed', { ...sums('exact'), order: { completed: [], open: ['another'] } }],
  ['paid', 'completed', { ...sums('exact'), verification: { state: 'proven' } }],
  ['paid', 'completed', { ...sums('exact'), verification: { state: 'pending' } }],
  // An estimate may be missed by a hundredth.
  ['paid', 'completed', sums('exact', '25.146')],
  ['short_output', 'completed', sums('exact', '25.145999999999999999')],
  ['paid_unknown_sum', 'completed'],
  ['paid_unknown_sum', 'completed', sums('unknown')],
  ['paid_unknown_sum', 'completed', { ...noneCame, payment: { deposit: null } }],
  ['other_token_received', 'completed', { ...noneCame, payment: { deposit: { amount: '25.42' } } }],
  [
    'other_token_received',
    'completed',
    { ...noneCame, payment: { deposit: { amountRaw: '1', token: 'X' } } },
  ],
  ['paid_unknown_sum', 'completed', { ...noneCame, payment: { deposit: { amount: '1', token: null } } }],
  ['paid_late', 'completed', { ...sums('exact'), late: true }],
  ['paid_in_excess', 'completed', { ...sums('overpaid'), late: true }],
  ['underpaid', 'completed', sums('underpaid')],
  ['underpaid', 'completed', { ...sums('underpaid'), late: true }],
  ['underpaid', 'anomaly', { reason: 'underpaid', ...sums('underpaid') }],
  ['overpaid', 'anomaly', { reason: 'overpaid', ...sums('overpaid') }],
  ...(['short_output', 'partly_refunded', 'contradictory_output', 'other_token_received'] as const).flatMap(
    (reason) =>
      [
        [reason, 'anomaly', { reason }],
        [reason, 'completed', { ...sums('overpaid'), payment: { anomalies: ['overpaid', reason] } }],
      ] as const,
  ),
  ['partly_refunded', 'failed', { ...failure('REFUNDED: too little', OWN), ...sums('underpaid', '9.98') }],
  ['partly_refunded', 'failed', failure('REFUNDED: a part was delivered, and a part went back', OWN)],
  ['underpaid_failed', 'failed', failure('UNDERPAID: 10 came instead of 25.42, and was delivered.')],
  ['failed', 'failed', failure('slippage', OWN), { refundTo: [OWN] }],
  ['failed', 'failed', { status: 'FAILED', payment: {} }],
  ['refunded', 'failed', failure('REFUNDED: slippage', OWN)],
  ['refunded', 'failed', failure('REFUNDED: slippage'), { refundTo: [OWN] }],
  [
    'refunded_to_shop',
    'failed',
    failure('REFUNDED: slippage', OWN.toLowerCase()),
    { refundTo: [PAYERS, OWN] },
  ],
  ['refunded_to_payer', 'failed', failure('REFUNDED: slippage', PAYERS), { refundTo: [OWN] }],
  ['refunded_to_payer', 'failed', failure('REFUNDED: slippage', PAYERS), { refundTo: [] }],
  [
    'underpaid_failed',
    'failed',
    failure('UNDERPAID: another token came instead of 25.42, and was delivered.'),
  ],
  ['refunded_to_payer', 'failed', failure('REFUNDED: x', 'bc1qA'), { refundTo: ['bc1qa'] }],
  // The refund comes after the failure.
  ['refunded_to_shop', 'updated', failure('REFUNDED: slippage', OWN), { refundTo: [OWN] }],
  ['expired', 'expired', { status: 'EXPIRED' }],
  ['no_order', 'completed', { ...sums('exact'), orderId: null }],
  ['paid', 'completed', { ...sums('exact'), orderId: null }, { orderId: 'A-1001' }],
  ['no_order', 'completed', sums('exact'), { orderId: null }],
  ['paid', 'updated', { ...COMPLETED, ...sums('exact'), named: true }],
  ['underpaid', 'updated', { ...COMPLETED, ...sums('underpaid'), named: true }],
  ['order_paid_twice', 'updated', { ...COMPLETED, named: true, order: { completed: ['q'], open: [] } }],
  ['order_paid_twice', 'completed', { ...sums('exact'), order: { completed: ['q'], open: [] } }],
  ['order_changed', 'updated', { ...COMPLETED, previousOrderId: 'A-1000' }],
  ['updated', 'updated', { ...COMPLETED, ...sums('exact') }],
  ['updated', 'updated', { named: true }],
  ['resolved', 'updated', { ...failure('slippage'), resolution: { reason: 'refunded' } }],
  ['resolved', 'updated', { resolution: null }],
  ...(['other_address', 'deposit_unseen_by_provider', 'changed_after_completed'] as const).map(
    (reason) => [reason, 'anomaly', { reason }] as const,
  ),
  ['went_back', 'anomaly', { reason: 'went_back' }],
  ['unknown_status', 'anomaly', { reason: 'unknown_status' }],
  ['changed_after_completed', 'anomaly', { ...COMPLETED, reason: 'unknown_status' }],
  ...['output_missing', 'output_reverted', 'other_recipient', 'other_token', 'amount_short'].map(
    (reason) => ['contradicted_by_chain', 'anomaly', { reason }] as const,
  ),
  ['contradicted_by_chain', 'anomaly', { reason: 'output_used_before' }],
  ['contradicted_by_chain', 'anomaly', { reason: 'output_reorged' }],
  ['contradicted_by_chain', 'completed', { ...sums('exact'), verification: { state: 'contradicted' } }],
  [
    'paid',
    'completed',
    { ...sums('exact'), verification: { state: 'contradicted' }, resolution: { reason: 'released' } },
  ],
  ...['of a newer Paybell', 'paid', 'expired', 'toString', undefined].map(
    (reason) => ['unknown_anomaly', 'anomaly', { reason }] as const,
  ),
  ...['no_progress', 'provider_silent', 'unverified'].map(
    (reason) => ['stalled', 'stalled', { reason }] as const,
  ),
  ['verified', 'verified', COMPLETED],
  ['unknown_type', 'of a newer Paybell', COMPLETED],
];

function eventOf(type: string, data: object = {}): PaybellEvent {
  const event = eventOfPayment('a payment', 4);
  const own = type === 'completed' ? COMPLETED : {};
  const all = { ...event.data, orderId: 'A-1001', ...own, ...data };
  return { ...event, type: `payment.${type}`, data: all } as unknown as PaybellEvent;
}

describe('the verdict', () => {
  it.each(ROWS.map(([...row]) => ({ row })))('$row', ({ row: [reason, type, data, options] }) => {
    expect(verdictOf(eventOf(type, data), options)).toEqual({ verdict: VERDICTS[reason], reason });
  });

  it.each(ANOMALY_REASONS)('knows the reason of an anomaly that the service has: %s', (reason) => {
    const isByChain = CONTRADICTIONS_ON_CHAIN.some((each) => each === reason);
    expect(verdictOf(eventOf('anomaly', { reason })).reason).toBe(
      isByChain ? 'contradicted_by_chain' : reason,
    );
  });

  it('on an event that is about no payment is nothing', () => {
    const test = testEvent({ id: 'an id', source: 'paybell', time: new Date() }, 'an endpoint');
    expect(verdictOf(JSON.parse(test) as PaybellEvent)).toEqual({ verdict: 'nothing', reason: 'no_payment' });
  });

  it('has a row here and in docs/using/money.md for each reason', () => {
    const [, table = ''] = readFileSync('docs/using/money.md', 'utf8').split('<!-- verdicts -->');
    const cells = table.matchAll(/`(\w+)`: ((?:`\w+`(?:, )?)+)/g);
    const told = [...cells].flatMap(([, verdict, reasons = '']) =>
      [...reasons.matchAll(/\w+/g)].map(([reason]) => `${reason}: ${verdict}`),
    );
    const kept = Object.entries(VERDICTS).map(([reason, verdict]) => `${reason}: ${verdict}`);
    expect(told.toSorted()).toEqual(kept.toSorted());
    const here = new Set<string>([...ROWS.map(([reason]) => reason), 'no_payment']);
    expect([...here].toSorted()).toEqual(Object.keys(VERDICTS).toSorted());
  });
});
