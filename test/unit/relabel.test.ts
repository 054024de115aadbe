import { describe, expect, it } from '@jest/globals';

import { newPayment, type Payment } from '../../src/domain/payment/payment.ts';
import { relabel } from '../../src/domain/payment/relabel.ts';

const T0 = new Date('2026-11-20T12:00:00.000Z');
const METADATA = { shop: 'eu', till: '7' };

function payment(more: Partial<Payment> = {}): Payment {
  const fresh = newPayment(
    { quoteId: 'q', provider: 'http', orderId: 'A-1', metadata: METADATA, expiresAt: null, expectedMs: null },
    T0,
  );
  return { ...fresh, sequence: 4, ...more };
}

describe('a new label', () => {
  it.each<[string, object, object]>([
    ['another order id', { orderId: 'A-2', metadata: null }, { orderId: 'A-2', metadata: METADATA }],
    ['other metadata', { orderId: null, metadata: { shop: 'us' } }, { metadata: { shop: 'us' } }],
    ['no metadata any more', { orderId: 'A-1', metadata: {} }, { orderId: 'A-1', metadata: {} }],
    [
      'another value',
      { orderId: null, metadata: { ...METADATA, till: '8' } },
      { metadata: { shop: 'eu', till: '8' } },
    ],
    [
      'another key',
      { orderId: null, metadata: { shop: 'eu', desk: '7' } },
      { metadata: { shop: 'eu', desk: '7' } },
    ],
    ['a key more', { orderId: null, metadata: { ...METADATA, x: '' } }, { metadata: { ...METADATA, x: '' } }],
  ])('is published once, with the stored report, and moves nothing else: %s', (_what, label, then) => {
    const before = payment({ status: 'COMPLETED', tracking: 'closed', late: true, stalls: ['no_progress'] });
    const transition = relabel(before, label as Parameters<typeof relabel>[1]);
    expect(transition.payment).toEqual({ ...before, ...then, sequence: 5 });
    expect(transition.events).toEqual([
      {
        type: 'payment.updated',
        sequence: 5,
        status: 'COMPLETED',
        previousStatus: 'COMPLETED',
        late: true,
        reportText: undefined,
      },
    ]);
    expect(transition.report).toBeNull();
  });

  it.each<[string, object]>([
    ['nothing', { orderId: null, metadata: null }],
    ['the same', { orderId: 'A-1', metadata: { ...METADATA } }],
    ['the same in another order', { orderId: null, metadata: { till: '7', shop: 'eu' } }],
  ])('that says %s changes nothing', (_what, label) => {
    const before = payment();
    expect(relabel(before, label as Parameters<typeof relabel>[1])).toEqual({
      payment: before,
      events: [],
      report: null,
    });
  });

  it('changes nothing where there is no metadata, and none is given', () => {
    const before = payment({ metadata: null });
    expect(relabel(before, { orderId: 'A-1', metadata: null }).events).toEqual([]);
  });

  it('is one where there was only an order id', () => {
    const transition = relabel(payment({ metadata: null }), { orderId: null, metadata: METADATA });
    expect(transition.payment).toMatchObject({ orderId: 'A-1', metadata: METADATA, sequence: 5 });
  });

  it('is one where there was none', () => {
    const label = { orderId: 'A-1', metadata: {} };
    const transition = relabel(payment({ orderId: null, metadata: null }), label);
    expect(transition.payment).toMatchObject({ ...label, sequence: 5 });
  });
});
