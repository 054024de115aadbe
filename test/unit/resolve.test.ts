import { describe, expect, it } from '@jest/globals';

import { applyReport } from '../../src/domain/payment/apply-report.ts';
import { newPayment, type Payment } from '../../src/domain/payment/payment.ts';
import { readReport, type Report } from '../../src/domain/payment/report.ts';
import { isNote, resolve, type Settlement } from '../../src/domain/payment/resolve.ts';

const T0 = new Date('2026-11-20T12:00:00.000Z');
const LATER = new Date('2026-11-20T12:05:00.000Z');
const REFUNDED: Settlement = { reason: 'refunded', note: 'ticket 7', by: 'anna' };
const RESOLVED = { ...REFUNDED, at: T0.toISOString() };
const RULES = { stalledAfterMs: 900_000 };

function payment(more: Partial<Payment> = {}): Payment {
  const fresh = newPayment(
    { quoteId: 'q', provider: 'http', orderId: 'A-1', metadata: null, expiresAt: null, expectedMs: null },
    T0,
  );
  return { ...fresh, sequence: 4, status: 'EXECUTING', stalls: ['no_progress'], ...more };
}

function report(said: object): Report {
  const text = JSON.stringify(said);
  const read = readReport(said, text);
  if (read === null) throw new Error('no report');
  return read;
}

describe('a resolution', () => {
  it('is published once, with the stored report, and moves nothing else', () => {
    const before = payment();
    const { payment: after, events, report: stored } = resolve(before, REFUNDED, T0);
    expect(after).toEqual({ ...before, sequence: 5, resolution: RESOLVED });
    expect(events).toEqual([
      {
        type: 'payment.updated',
        sequence: 5,
        status: 'EXECUTING',
        previousStatus: 'EXECUTING',
        late: false,
        reportText: undefined,
        resolution: RESOLVED,
      },
    ]);
    expect(stored).toBeNull();
  });

  it('that says the same again changes nothing, whoever says it and when', () => {
    const before = payment({ resolution: RESOLVED });
    expect(resolve(before, { ...REFUNDED, by: 'ben' }, LATER).events).toEqual([]);
    expect(resolve(before, { ...REFUNDED, by: 'ben' }, LATER).payment).toBe(before);
  });

  it.each<Partial<Settlement>>([{ reason: 'other' }, { note: null }, { note: 'ticket 8' }])(
    'is replaced by another one: %j',
    (other) => {
      const { payment: after, events } = resolve(
        payment({ resolution: RESOLVED }),
        { ...REFUNDED, by: 'ben', ...other },
        LATER,
      );
      const resolution = { ...REFUNDED, ...other, by: 'ben', at: LATER.toISOString() };
      expect([after.resolution, events]).toMatchObject([resolution, [{ sequence: 5, resolution }]]);
    },
  );

  it('is taken back once, which is published as null', () => {
    const { payment: after, events } = resolve(payment({ resolution: RESOLVED }), null, LATER);
    expect([after.resolution, events]).toMatchObject([null, [{ sequence: 5, resolution: null }]]);
    expect(resolve(after, null, LATER).events).toEqual([]);
  });

  it('ends with the next status, which says nothing of it', () => {
    const before = payment({ resolution: RESOLVED });
    const { payment: after, events } = applyReport(before, report({ status: 'COMPLETED' }), LATER, RULES);
    expect(after).toMatchObject({ status: 'COMPLETED', resolution: null });
    expect(events).toEqual([expect.not.objectContaining({ resolution: expect.anything() })]);
  });

  it.each<[string, object]>([
    ['a report that changes something else', { status: 'EXECUTING', deposit: { amount: '1' } }],
    ['a contradiction', { status: 'AWAITING_DEPOSIT' }],
    ['an unknown status', { status: 'PAUSED' }],
  ])('outlasts %s', (_what, said) => {
    const before = payment({ resolution: RESOLVED });
    expect(applyReport(before, report(said), LATER, RULES).payment.resolution).toEqual(RESOLVED);
  });
});

describe('the note of a resolution', () => {
  it.each(['x', 'Käse\n\tzwei', 'x'.repeat(500)])('may be %j', (note) => {
    expect(isNote(note)).toBe(true);
  });

  it.each(['', ' \n', 'x'.repeat(501), 'a\u0000b', 'a\u202eb', 'a\rb', '\ud800', 7, null])(
    'may not be %j',
    (note) => {
      expect(isNote(note)).toBe(false);
    },
  );
});
