import { describe, expect, it } from '@jest/globals';

import { applyReport, openPayment } from '../../src/domain/transitions/apply-report.ts';
import type { Payment } from '../../src/domain/payment/payment.ts';
import { madePayment } from '../support/made-payment.ts';
import { reportOf } from '../support/poll-results.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const RULES = { stalledAfterMs: 900_000 };
const HASH = `0x${'Aa'.repeat(32)}`;
const OTHER = `0x${'bb'.repeat(32)}`;

type Json = Readonly<Record<string, unknown>>;

/** Polls a payment that the first report completes, and returns the events of each further report. */
function polled(...reports: readonly Json[]): { payment: Payment; told: string[]; stored: string } {
  let { payment } = openPayment(madePayment(NOW));
  let stored = '';
  const told: string[] = [];
  for (const said of reports) {
    const report = reportOf({ status: 'COMPLETED', ...said });
    const transition = applyReport(payment, report, NOW, RULES, { completedReport: stored || null });
    ({ payment } = transition);
    stored = transition.report?.text ?? stored;
    const words = transition.events.map(({ type, reason = '' }) => `${type.slice(8)} ${reason}`.trim());
    told.push(words.join(', '));
  }
  return { payment, told: told.slice(1), stored };
}

const output = (execution: Json): Json => ({ execution });
const CHANGED = 'anomaly changed_after_completed';

describe('a report after the completion', () => {
  it.each<[what: string, before: Json, now: Json, told: string]>([
    ['the same', output({ outputTxHash: HASH }), output({ outputTxHash: HASH }), ''],
    ['the hash, later', output({ outputTxHash: null }), output({ outputTxHash: HASH }), 'updated'],
    ['no hash any more', output({ outputTxHash: HASH }), output({ outputTxHash: null }), 'updated'],
    ['another hash', output({ outputTxHash: HASH }), output({ outputTxHash: OTHER }), CHANGED],
    [
      'the hash in small letters',
      output({ outputTxHash: HASH }),
      output({ outputTxHash: HASH.toLowerCase() }),
      'updated',
    ],
    [
      'one more hash',
      output({ outputTxHash: HASH }),
      output({ outputTxHash: HASH, steps: [{ type: 'fill', txHash: OTHER }] }),
      'updated',
    ],
    ['the amount, later', output({}), output({ output: { amount: '5' } }), 'updated'],
    ['less', output({ output: { amount: '5' } }), output({ output: { amount: '4.9' } }), CHANGED],
    ['more', output({ output: { amount: '5' } }), output({ output: { amount: '50' } }), CHANGED],
    [
      'the amount with zeros',
      output({ output: { amount: '5' } }),
      output({ output: { amount: '05.00' } }),
      'updated',
    ],
    ['gas', {}, { gas: { used: 1 } }, 'updated'],
    ['times', output({ startedAt: 1 }), output({ startedAt: 1, completedAt: 2 }), 'updated'],
    ['a refund', {}, output({ refund: { amount: '5' } }), CHANGED],
    ['a refund elsewhere', {}, { refund: { txHash: HASH } }, CHANGED],
    ['a step of a refund', {}, output({ steps: [{ type: 'refund', txHash: HASH }] }), CHANGED],
    [
      'a step of a refund that failed',
      {},
      output({ steps: [{ type: 'refund', txHash: HASH, status: 'failure' }] }),
      'updated',
    ],
    ['a part that went back', {}, { anomalies: ['partly_refunded'] }, CHANGED],
    [
      'a failure and a refund beside the output',
      output({ outputTxHash: HASH }),
      { ...output({ refund: { amount: '5' } }), anomalies: ['partly_refunded', 'contradictory_output'] },
      CHANGED,
    ],
    ['no refund', {}, output({ refund: { amount: '0.0' } }), 'updated'],
    ['nothing of a refund', {}, output({ refund: { amount: null, txHash: null } }), ''],
    [
      'the hash of its refund',
      output({ refund: { amount: '1' } }),
      output({ refund: { amount: '1', txHash: HASH } }),
      'updated',
    ],
    ['a larger refund', output({ refund: { amount: '1' } }), output({ refund: { amount: '2' } }), CHANGED],
    ['a failure', {}, { status: 'FAILED' }, CHANGED],
    ['a word for a refund', {}, { status: 'REFUNDED' }, CHANGED],
    ['another word', {}, { status: 'TELEPORTED' }, 'anomaly unknown_status'],
  ])('that has %s: %j, then %j', (_what, before, now, told) => {
    const { payment, told: all } = polled(before, now, now);
    expect([payment.status, all]).toEqual(['COMPLETED', [told, '']]);
  });

  it('tells each change once, also of one that comes and goes', () => {
    const [one, other] = [output({ outputTxHash: HASH }), output({ outputTxHash: OTHER })];
    const { told, stored } = polled(one, other, one, other);
    expect(told).toEqual([CHANGED, CHANGED, '']);
    expect(stored).toContain(OTHER);
  });

  it('stays the one of the completion where it has another word', () => {
    expect(polled({}, { status: 'REFUNDED' }).stored).toBe('{"status":"COMPLETED"}');
  });

  it('takes nothing back before there is a completion', () => {
    expect(polled({ status: 'EXECUTING' }, { status: 'REFUNDED' }).told).toEqual(['anomaly unknown_status']);
  });
});
