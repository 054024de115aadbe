import type { Schemas } from '../api/api-client.ts';
import type { PaymentEvent } from '../api/payment-events.ts';

type Payment = Schemas['PaymentAnswer'];
type Delivery = Schemas['DeliveryAnswer'];
type Endpoint = Schemas['WebhookEndpointView'];

/** All that is known of a payment. */
export interface Known {
  readonly payment: Payment;
  readonly events: readonly PaymentEvent[];
  readonly endpoints: readonly Endpoint[];
  /** For each endpoint the first one that is not acknowledged, or else the last. */
  readonly deliveries: readonly Delivery[];
  /** Whether a destination, RabbitMQ too, has failed to take an event. */
  readonly isUndelivered: boolean;
}

export interface Comparison {
  readonly quoteId: string;
  readonly orderId: string | null;
  readonly createdAt: string;
  readonly status: string;
  /** As the provider last reported it. */
  readonly providerStatus: string | null;
  readonly lastPolledAt: string | null;
  readonly lastEvent: string | null;
  /** Of each endpoint: `ID=NUMBER`, the number of the event up to which it has acknowledged all, or `-`. */
  readonly acknowledged: readonly string[];
  /** In words; empty: all agree. */
  readonly disagreements: readonly string[];
}

export function compare(known: Known): Comparison {
  const { payment, events, deliveries } = known;
  const last = events.at(-1);
  const unacknowledged = endpointDisagreements(known);
  const byRabbitmq =
    known.isUndelivered && unacknowledged.length === 0 ? ['RabbitMQ has not taken an event'] : [];
  return {
    quoteId: payment.quoteId,
    orderId: payment.orderId,
    createdAt: payment.createdAt,
    status: payment.status,
    providerStatus: reportedStatus(payment),
    lastPolledAt: payment.lastPolledAt,
    lastEvent: last === undefined ? null : nameOf(last),
    acknowledged: deliveries.map(
      ({ endpointId, state, sequence }) => `${endpointId}=${state === 'delivered' ? sequence : '-'}`,
    ),
    disagreements: [
      ...providerDisagreements(payment, last),
      ...eventDisagreements(payment, events),
      ...unacknowledged,
      ...byRabbitmq,
    ],
  };
}

function providerDisagreements(payment: Payment, last: PaymentEvent | undefined): string[] {
  const reported = reportedStatus(payment);
  const isOther = reported !== null && reported !== payment.status;
  // What a person has settled otherwise needs nobody any more.
  const isOpen = payment.resolution === null;
  return [
    ...(isOther ? [`the provider says ${reported}, Paybell ${payment.status}`] : []),
    ...(isOpen && (last?.type === 'payment.anomaly' || last?.type === 'payment.stalled')
      ? [`${last.type} ${last.data.reason} is the last event`]
      : []),
  ];
}

function eventDisagreements({ sequence, status }: Payment, events: readonly PaymentEvent[]): string[] {
  const newest = events.find(({ data }) => data.sequence === sequence);
  if (newest === undefined) return [`event #${sequence} is missing`];
  return newest.data.status === status
    ? []
    : [`the payment is ${status}, its event #${sequence} says ${newest.data.status}`];
}

function endpointDisagreements({ events, endpoints, deliveries }: Known): string[] {
  return endpoints.flatMap((endpoint) => {
    const wanted = events.findLast(
      ({ type, time }) => endpoint.eventTypes.includes(type) && time >= endpoint.createdAt,
    );
    if (wanted === undefined) return [];
    const delivery = deliveries.find(({ endpointId }) => endpointId === endpoint.id);
    const problem = problemOf(delivery, wanted);
    return problem === null
      ? []
      : [`${endpoint.url} ${problem}${endpoint.enabled ? '' : ' (it is disabled)'}`];
  });
}

function problemOf(delivery: Delivery | undefined, wanted: PaymentEvent): string | null {
  if (delivery === undefined) return `was never sent ${nameOf(wanted)}`;
  const { state, sequence, type, attemptCount, waitingFor, lastFailure, lastHttpStatus } = delivery;
  if (state === 'delivered')
    return sequence >= wanted.data.sequence ? null : `was never sent ${nameOf(wanted)}`;
  const isUnderWay = state === 'pending' && attemptCount === 0 && waitingFor === null;
  if (isUnderWay) return null;
  const why = lastHttpStatus ?? lastFailure ?? waitingFor;
  return `has not acknowledged #${sequence} ${type}: ${state}${why === null ? '' : `, ${why}`}`;
}

function nameOf({ type, data }: PaymentEvent): string {
  return `#${data.sequence} ${type}`;
}

function reportedStatus({ report }: Payment): string | null {
  return typeof report?.['status'] === 'string' ? report['status'] : null;
}
