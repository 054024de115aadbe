import type { EventType } from '../../domain/event/event.ts';
import type { FailureClass } from '../../ports/deliveries.ts';
import type { DeliveryState, DeliveryWait, LoggedDelivery } from '../../ports/delivery-log.ts';
import type { DestinationKinds } from '../../ports/destinations.ts';
import type { EndpointSecrets } from '../secrets/endpoint-secrets.ts';
import { type DestinationRow, namedOf } from './named-destination.ts';

/** A delivery with the columns of its payment, event and destination that the API shows. */
export interface DeliveryRow extends DestinationRow {
  readonly id: string;
  readonly endpoint_id: string;
  readonly quote_id: string;
  readonly order_id: string | null;
  readonly event_id: string;
  readonly type: EventType;
  readonly sequence: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly created_at: Date;
  readonly last_attempt_at: Date | null;
  readonly next_attempt_at: Date | null;
  readonly last_failure: FailureClass | null;
  readonly last_http_status: number | null;
  readonly waiting_for: DeliveryWait | null;
  /** The endpoint's sealed secrets, for a delivery that this process must sign. */
  readonly secrets: string | null;
}

/** A row names the key that sealed its secret, but only an attempt to open the secret shows whether this key works. */
export function deliveryOf(
  row: DeliveryRow,
  secrets: EndpointSecrets,
  kinds: DestinationKinds,
): LoggedDelivery {
  const isUnreadable = row.secrets !== null && !secrets.isReadable(row.secrets, row.endpoint_id);
  const destination = namedOf(row.endpoint_id, row, kinds);
  return {
    id: row.id,
    endpointId: destination.id ?? row.endpoint_id,
    destination,
    quoteId: row.quote_id,
    orderId: row.order_id,
    eventId: row.event_id,
    type: row.type,
    sequence: row.sequence,
    state: row.state,
    attemptCount: row.attempts,
    createdAt: row.created_at,
    lastAttemptAt: row.last_attempt_at,
    nextAttemptAt: isUnreadable ? null : row.next_attempt_at,
    lastFailure: row.last_failure,
    lastHttpStatus: row.last_http_status,
    waitingFor: isUnreadable ? 'secret_unreadable' : row.waiting_for,
  };
}

const IS_UNDER_WAY = `(d.leased AND d.due_at > now())`;
const IS_TAKEN = `coalesce(x.enabled, false)`;

/**
 * The columns of DeliveryRow, for DELIVERY_TABLES. A claim sets its own time as that of the last attempt, although that
 * attempt may never be made.
 */
export const DELIVERY_COLUMNS = `
  d.id, d.destination_id AS endpoint_id, x.kind, x.url, x.description, p.quote_id, p.order_id, e.id AS event_id, e.type, d.sequence, d.state,
  d.attempts, d.created_at, d.last_failure, d.last_http_status,
  coalesce(d.attempt_made_at, a.made_at, CASE WHEN d.attempts > 0 THEN d.last_attempt_at END) AS last_attempt_at,
  CASE WHEN d.state = 'pending' AND d.due_at IS NOT NULL AND ${IS_TAKEN} AND NOT ${IS_UNDER_WAY}
    THEN greatest(d.due_at, now(), CASE WHEN c.state = 'open' THEN c.probe_at END) END AS next_attempt_at,
  CASE WHEN d.state <> 'pending' OR ${IS_UNDER_WAY} THEN NULL
    WHEN NOT ${IS_TAKEN} THEN 'disabled_endpoint'
    WHEN d.lane_state = 'waiting' AND (d.due_at <= now()) IS NOT TRUE THEN 'earlier_event'
    WHEN c.state = 'open' THEN 'circuit'
    WHEN d.due_at > now() THEN 'retry' END AS waiting_for,
  CASE WHEN d.state = 'pending' AND ${IS_TAKEN} AND NOT ${IS_UNDER_WAY} AND x.url IS NOT NULL
    THEN coalesce(x.secrets, '') END AS secrets`;

/**
 * Whether the rows of this alias belong to webhook endpoints, deleted ones included. PostgreSQL reads the array once a
 * statement.
 */
export function isOfEndpoint(alias: string): string {
  return `${alias}.destination_id <> ALL (ARRAY(SELECT id FROM destination WHERE kind <> 'webhook'))`;
}

export const DELIVERY_TABLES = `
  delivery d
  JOIN event e ON e.position = d.event_position
  JOIN payment p ON p.id = d.payment_id
  LEFT JOIN destination x ON x.id = d.destination_id
  LEFT JOIN endpoint_circuit c ON c.destination_id = d.destination_id
  LEFT JOIN earlier_attempt a ON a.delivery_id = d.id AND a.number = d.attempts`;
