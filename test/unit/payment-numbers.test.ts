import { describe, expect, it } from '@jest/globals';

import {
  newPayment,
  numberIn,
  PAYMENT_FIELDS,
  STALL_REASONS,
  TRACKINGS,
} from '../../src/domain/payment/payment.ts';

const T0 = new Date('2026-11-20T12:00:00.000Z');
const NEW = newPayment(
  { quoteId: 'q', provider: 'http', orderId: 'A-1', metadata: null, expiresAt: null, expectedMs: null },
  T0,
);

describe('a new payment', () => {
  it('has no event, no report and no stall, in the epoch before any loss', () => {
    expect(NEW).toEqual({
      quoteId: 'q',
      provider: 'http',
      orderId: 'A-1',
      metadata: null,
      expiresAt: null,
      expectedMs: null,
      status: 'AWAITING_DEPOSIT',
      late: false,
      sequence: 0,
      epoch: 0,
      previousSequence: null,
      tracking: 'active',
      createdAt: T0,
      progressAt: T0,
      endedAt: null,
      partDigests: { deposit: '', gas: '', execution: '', error: '', address: '', noiseToldAt: 0 },
      reportDigest: '',
      stalls: [],
      contradictions: [],
      resolution: null,
      traceparent: null,
    });
  });

  it('is stored with every field but the one that follows from its epoch', () => {
    expect([...PAYMENT_FIELDS, 'previousSequence'].sort()).toEqual(Object.keys(NEW).sort());
    expect(PAYMENT_FIELDS).not.toContain('previousSequence');
  });

  it('has one of the words that the API names', () => {
    expect(TRACKINGS).toEqual(['active', 'watching', 'closed']);
    expect(STALL_REASONS).toEqual(['no_progress', 'provider_silent', 'unverified']);
  });
});

describe('the numbers of a payment after the database went back', () => {
  const kept = { ...NEW, sequence: 3, epoch: 2 };

  it('go on after a hundred for each epoch, and name the last number that was kept', () => {
    expect(numberIn(7, kept)).toEqual({ ...kept, epoch: 7, sequence: 700, previousSequence: 3 });
  });

  it('stay as they are in the epoch that the payment has reached, and in an earlier one', () => {
    expect(numberIn(2, kept)).toBe(kept);
    expect(numberIn(1, kept)).toBe(kept);
  });
});
