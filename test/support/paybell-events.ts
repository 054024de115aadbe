import { randomUUID } from 'node:crypto';

import type { PaymentEvent } from '../../packages/client/src/index.ts';

/** The first events of a payment, as Paybell publishes them; each call without an id uses another payment. */
export function eventsOfPayment(count: number, subject: string = randomUUID()): PaymentEvent[] {
  return Array.from({ length: count }, (_none, index) => eventOfPayment(subject, index + 1));
}

export function eventOfPayment(subject: string, sequence: number): PaymentEvent {
  return {
    specversion: '1.0',
    id: randomUUID(),
    source: 'paybell',
    type: 'payment.updated',
    subject,
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    data: {
      quoteId: subject,
      provider: 'http',
      orderId: null,
      metadata: null,
      sequence,
      status: 'EXECUTING',
      previousStatus: 'EXECUTING',
      late: false,
      payment: { status: 'EXECUTING', deposit: { amount: '0.050000000000000001' } },
    },
  };
}

/** A completion of the payment with a new id. */
export function completionOf(subject: string, sequence: number): PaymentEvent {
  const event = eventOfPayment(subject, sequence);
  const data = { ...event.data, status: 'COMPLETED', previousStatus: 'EXECUTING' };
  return { ...event, type: 'payment.completed', data } as PaymentEvent;
}

/** A contradiction of a payment that is under way. */
export function anomalyOf(subject: string, sequence: number): PaymentEvent {
  const event = eventOfPayment(subject, sequence);
  return { ...event, type: 'payment.anomaly', data: { ...event.data, reason: 'went_back' } } as PaymentEvent;
}

/** An event of a completed payment, other than its completion. */
export function updateOfCompleted(subject: string, sequence: number): PaymentEvent {
  const event = eventOfPayment(subject, sequence);
  return {
    ...event,
    data: { ...event.data, status: 'COMPLETED', previousStatus: 'COMPLETED' },
  } as PaymentEvent;
}

/** The first event of the payment after Paybell's database went back to this number. */
export function jumped(event: PaymentEvent, previousSequence: number): PaymentEvent {
  const data: object = { ...event.data, previousSequence };
  return { ...event, data } as PaymentEvent;
}
