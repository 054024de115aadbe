import type { Schemas } from '../api/api-client.ts';
import type { PaymentEvent } from '../api/payment-events.ts';

type Payment = Schemas['PaymentAnswer'];
type Delivery = Schemas['DeliveryAnswer'];
type Published = Schemas['ExchangeDeliveryAnswer'];
type Endpoint = Schemas['WebhookEndpointView'];

/** Replicas look for what is due each second, so longer is more than the usual way. */
const UNTRIED_MS = 5_000;

/** All that is known of a payment. */
export interface Known {
  readonly payment: Payment;
  readonly events: readonly PaymentEvent[];
  readonly endpoints: readonly Endpoint[];
  /** For each endpoint the first one that is not acknowledged, or else the last. */
  readonly deliveries: readonly Delivery[];
  /** The same of the RabbitMQ exchange; null without it. */
  readonly exchange: Published | null;
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
  /** Of each endpoint and RabbitMQ: `ID=NUMBER`, the number of the event up to which it has acknowledged all, or `-`. */
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
      ...endpointDisagreements(known),
      ...exchangeDisagreements(known),
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

/** It takes events of all types, from when it was set up. */
function exchangeDisagreements({ events, exchange }: Known): string[] {
  const last = events.at(-1);
  const problem = exchange === null || last === undefined ? null : problemOf(exchange, last);
  return problem === null ? [] : [`RabbitMQ ${problem}`];
}

function problemOf(delivery: Delivery | Published | undefined, wanted: PaymentEvent): string | null {
  if (delivery === undefined) return `was never sent ${nameOf(wanted)}`;
  const { state, sequence, type, waitingFor, lastFailure } = delivery;
  // Its endpoint was disabled when it was recorded.
  if (state === 'discarded') return `was never sent #${sequence} ${type}`;
  if (state === 'delivered')
    return sequence >= wanted.data.sequence ? null : `was never sent ${nameOf(wanted)}`;
  if (isUnderWay(delivery)) return null;
  const httpStatus = 'lastHttpStatus' in delivery ? delivery.lastHttpStatus : null;
  const why = httpStatus ?? lastFailure ?? waitingFor;
  return `has not acknowledged #${sequence} ${type}: ${state}, ${why ?? 'not tried'}`;
}

/** One that is due for long, and that nobody tries, is not under way. The next attempt of a due one is now, by the database's clock. */
function isUnderWay({
  state,
  attemptCount,
  waitingFor,
  createdAt,
  nextAttemptAt,
}: Delivery | Published): boolean {
  if (state !== 'pending' || attemptCount > 0 || waitingFor !== null) return false;
  return nextAttemptAt === null || Date.parse(nextAttemptAt) - Date.parse(createdAt) < UNTRIED_MS;
}

function acknowledgedBy({ state, sequence }: Delivery | Published): string {
  return state === 'delivered' ? String(sequence) : '-';
}

function nameOf({ type, data }: PaymentEvent): string {
  return `#${data.sequence} ${type}`;
}

function reportedStatus({ report }: Payment): string | null {
  return typeof report?.['status'] === 'string' ? report['status'] : null;
}
