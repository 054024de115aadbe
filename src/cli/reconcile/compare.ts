import type { Schemas } from '../api/api-client.ts';
import type { PaymentEvent } from '../api/payment-events.ts';

type Payment = Schemas['PaymentAnswer'];
type Delivery = Schemas['DeliveryAnswer'];
type Untold = Schemas['UntoldEventsAnswer'];
type Endpoint = Schemas['WebhookEndpointView'];

/** All facts about a payment. */
export interface Known {
  readonly payment: Payment;
  readonly events: readonly PaymentEvent[];
  readonly endpoints: readonly Endpoint[];
  /** For each endpoint the first unacknowledged event, or else the last one. */
  readonly deliveries: readonly Delivery[];
  /** The same delivery for the RabbitMQ exchange; null: there is no exchange. */
  readonly exchange: Delivery | null;
  /** Lists the events that destinations were not told; none for a payment that a person has settled otherwise. */
  readonly untold: readonly Untold[];
}

export interface Comparison {
  readonly quoteId: string;
  readonly orderId: string | null;
  readonly createdAt: string;
  readonly status: string;
  /** The status that the provider last reported. */
  readonly providerStatus: string | null;
  readonly lastPolledAt: string | null;
  readonly lastEvent: string | null;
  /** For each endpoint and RabbitMQ: `ID=NUMBER`, the number of the event up to which it has acknowledged all, or `-`. */
  readonly acknowledged: readonly string[];
  /** In words; empty: all agree. */
  readonly disagreements: readonly string[];
}

export function compare(known: Known): Comparison {
  const { payment, events, deliveries, exchange } = known;
  const last = events.at(-1);
  return {
    quoteId: payment.quoteId,
    orderId: payment.orderId,
    createdAt: payment.createdAt,
    status: payment.status,
    providerStatus: reportedStatus(payment),
    lastPolledAt: payment.lastPolledAt,
    lastEvent: last === undefined ? null : nameOf(last),
    acknowledged: [
      ...deliveries.map((delivery) => `${delivery.endpointId}=${acknowledgedBy(delivery)}`),
      ...(exchange === null ? [] : [`rabbitmq=${acknowledgedBy(exchange)}`]),
    ],
    disagreements: [
      ...providerDisagreements(payment, last),
      ...eventDisagreements(payment, events),
      ...untoldDisagreements(known),
      ...missingDeliveries(known),
    ],
  };
}

function providerDisagreements(payment: Payment, last: PaymentEvent | undefined): string[] {
  const reported = reportedStatus(payment);
  const isOther = reported !== null && reported !== payment.status;
  // A payment that a person has settled needs no further attention.
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

/** Uses the one definition of untold events. */
function untoldDisagreements(known: Known): string[] {
  return known.untold.map(({ destination, events, sequence }) => {
    const first = known.events.find(({ data }) => data.sequence === sequence);
    const more = events > 1 ? ` and ${events - 1} more` : '';
    const what = `${first === undefined ? `#${sequence}` : nameOf(first)}${more}`;
    if (destination.kind === 'nobody') return `nobody was told ${what}: there was no receiver`;
    return `${destination.name} was not told ${what}${whyAt(destination.id, known)}`;
  });
}

function whyAt(id: string | null, { deliveries, exchange, endpoints }: Known): string {
  const delivery = deliveries.find(({ endpointId }) => endpointId === id);
  const isDisabled = endpoints.some((endpoint) => endpoint.id === id && !endpoint.enabled);
  const { state, lastFailure, waitingFor } = delivery ?? exchange ?? { state: 'discarded' };
  const why =
    state === 'discarded'
      ? ''
      : `: ${state}, ${delivery?.lastHttpStatus ?? lastFailure ?? waitingFor ?? 'not tried'}`;
  return `${why}${isDisabled ? ' (it is disabled)' : ''}`;
}

/** An event that an endpoint asked for always has a delivery to it. */
function missingDeliveries({ events, endpoints, deliveries }: Known): string[] {
  return endpoints.flatMap((endpoint) => {
    const wanted = events.findLast(
      ({ type, time }) => endpoint.eventTypes.includes(type) && time >= endpoint.createdAt,
    );
    const delivery = deliveries.find(({ endpointId }) => endpointId === endpoint.id);
    if (wanted === undefined || (delivery?.state ?? 'delivered') !== 'delivered') return [];
    const isThere = delivery !== undefined && delivery.sequence >= wanted.data.sequence;
    return isThere ? [] : [`${endpoint.description ?? endpoint.url} has no delivery of ${nameOf(wanted)}`];
  });
}

function acknowledgedBy({ state, sequence }: Delivery): string {
  return state === 'delivered' ? String(sequence) : '-';
}

function nameOf({ type, data }: PaymentEvent): string {
  return `#${data.sequence} ${type}`;
}

function reportedStatus({ report }: Payment): string | null {
  return typeof report?.['status'] === 'string' ? report['status'] : null;
}
