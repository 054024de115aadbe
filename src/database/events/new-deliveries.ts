import type { PaymentEvent } from '../../domain/event/stamp-event.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import type { LeaseOffer } from '../../ports/deliveries.ts';
import type { NewDeliveries } from '../../platform/scheduling/delivery-signals.ts';

/** What record_events answers. */
export interface NewDeliveryRow {
  readonly leased_deliveries:
    | readonly {
        readonly id: string;
        readonly token: string;
        readonly destinationId: string;
        readonly eventId: string;
      }[]
    | null;
  readonly due_destinations: readonly string[] | null;
}

/** The parameter the_offers of record_events. */
export function offersText(offers: readonly LeaseOffer[]): string {
  return JSON.stringify(
    offers.map(({ destinationId, free, leaseMs }) => ({
      destination_id: destinationId,
      free,
      lease_ms: leaseMs,
    })),
  );
}

/** The deliveries that were inserted leased, as a claim would read them. The n-th record has the events of the n-th payment. */
export function newDeliveries(
  { leased_deliveries: leased, due_destinations: due }: NewDeliveryRow,
  payments: readonly Payment[],
  records: readonly { readonly events: readonly PaymentEvent[] }[],
  since: number,
): NewDeliveries {
  const recorded = new Map(
    leased === null
      ? []
      : records.flatMap(({ events }, index) =>
          events.map((event) => [event.id, { event, payment: payments[index] as Payment }]),
        ),
  );
  const deliveries = (leased ?? []).map(({ eventId, ...delivery }) => {
    const { event, payment } = recorded.get(eventId) as { event: PaymentEvent; payment: Payment };
    const { quoteId, orderId, traceparent } = payment;
    const { type, sequence, time, body } = event;
    const ofEvent = { eventId, type, sequence, time, body };
    return {
      ...delivery,
      ...ofEvent,
      quoteId,
      orderId,
      traceparent,
      attempts: 0,
      retries: 0,
      isUnscheduled: false,
      resumeInMs: null,
    };
  });
  return { leased: deliveries, dueTargets: due ?? [], since };
}
