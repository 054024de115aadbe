import type { RefusedPayments, UnsentEvents, WebhookEndpoint } from '../../ports/webhook-endpoints.ts';
import { endpointStateOf } from '../../domain/delivery/endpoint-state.ts';
import type { EndpointEntity } from '../entities/endpoint.entity.ts';
import type { EndpointSecrets } from '../secrets/endpoint-secrets.ts';
import { pendingOf, unsentOf } from '../deliveries/pending-of-endpoints.ts';

/** A value of JSON, whose time is text. */
type Dated<Value extends { readonly since: Date | null }> = Omit<Value, 'since'> & {
  readonly since: string | null;
};

export interface JsonColumns {
  readonly refused: Dated<RefusedPayments>;
  readonly unsent: Dated<UnsentEvents>;
}

/** A row as the queries below name its columns. */
export interface EndpointRow
  extends
    Omit<WebhookEndpoint, 'problem' | 'previousSecretExpiresAt' | 'state' | keyof JsonColumns>,
    JsonColumns {
  readonly secrets: string;
}

export function endpointOf(
  { secrets: sealed, refused, unsent, ...columns }: EndpointRow,
  secrets: EndpointSecrets,
  now: Date,
): WebhookEndpoint {
  const dated = { refused: withDate(refused), unsent: withDate(unsent) };
  const state = endpointStateOf({ ...columns, refusedSince: dated.refused.since });
  const row = { ...columns, state, ...dated };
  if (!secrets.isReadable(sealed, row.id))
    return { ...row, previousSecretExpiresAt: null, problem: 'secret_unreadable' };
  return { ...row, previousSecretExpiresAt: secrets.formerUntil(sealed, row.id, now), problem: null };
}

export function withDate<Value extends { readonly since: string | null }>(
  value: Value,
): Omit<Value, 'since'> & { since: Date | null } {
  return { ...value, since: value.since === null ? null : new Date(value.since) };
}

/** A new endpoint has no circuit and no deliveries yet. */
export function newEndpointOf(
  { id, url, eventTypes, description, enabled, signature, publicKey, createdAt, secrets }: EndpointEntity,
  box: EndpointSecrets,
  now: Date,
): WebhookEndpoint {
  const stored = { id, url, eventTypes, description, enabled, signature, publicKey, createdAt, secrets };
  return endpointOf({ ...stored, ...UNTRIED }, box, now);
}

const UNTRIED = {
  disabledReason: null,
  circuit: 'closed',
  failingSince: null,
  nextProbeAt: null,
  refused: { payments: 0, since: null, examples: [] },
  pending: 0,
  oldestPendingAt: null,
  unsent: { count: 0, isMore: false, since: null },
  lastDeliveredAt: null,
} as const;

const COLUMNS = `x.id, x.url, x.event_types AS "eventTypes", x.description, x.enabled,
  x.disabled_reason AS "disabledReason", x.signature, x.public_key AS "publicKey", x.created_at AS "createdAt",
  coalesce(x.secrets, '') AS secrets`;

/** Columns for the state of destination `x`, from the tables below. */
export const STATE_COLUMNS = `coalesce(c.state, 'closed') AS circuit, c.failing_since AS "failingSince",
    CASE WHEN c.state = 'open' THEN greatest(c.probe_at, now()) END AS "nextProbeAt",
    refused.it AS refused, unsent.it AS unsent, backlog.pending, oldest.created_at AS "oldestPendingAt",
    last_delivered_at(x.id) AS "lastDeliveredAt"`;

/** The destinations with their state; pending deliveries are counted up to `most`, an SQL expression. */
export function stateTables(most: string): string {
  return `
  FROM destination x
  LEFT JOIN endpoint_circuit c ON c.destination_id = x.id
  CROSS JOIN LATERAL (${pendingOf('x.id', most)}) backlog
  CROSS JOIN LATERAL (${refusedBy('x.id', most)}) refused
  CROSS JOIN LATERAL (${unsentOf('x.id', most)}) unsent
  LEFT JOIN delivery oldest ON oldest.id = backlog.oldest_id`;
}

/** The webhook endpoints, without RabbitMQ. */
export function selectEndpoints(most: string): string {
  return `SELECT ${COLUMNS}, ${STATE_COLUMNS} ${stateTables(most)} WHERE x.kind = 'webhook'`;
}

const MOST_NAMED = 5;

/** The payments that `destination` refuses (RefusedPayments), counted up to `most`, as the JSON value `it`. */
export function refusedBy(destination: string, most: string | number): string {
  return `
    SELECT json_build_object('payments', count(*), 'since', min(f.first_attempt_at), 'examples', (
      SELECT coalesce(json_agg(json_build_object('quoteId', p.quote_id, 'orderId', p.order_id)), '[]')
      FROM unnest((array_agg(f.payment_id ORDER BY f.first_attempt_at))[:${MOST_NAMED}]) AS n (payment_id)
      JOIN payment p ON p.id = n.payment_id)) AS it
    FROM (
      SELECT d.payment_id, min(d.first_attempt_at) AS first_attempt_at FROM (
        SELECT payment_id, first_attempt_at FROM delivery
        WHERE destination_id = ${destination} AND state = 'pending' AND attempts > 0
        ORDER BY payment_id LIMIT ${most}
      ) d GROUP BY d.payment_id
    ) f`;
}
