import type { EventType } from '../../domain/event/event.ts';
import type { Circuit } from '../../ports/deliveries.ts';
import type { Signature, WebhookEndpoint } from '../../ports/webhook-endpoints.ts';
import type { EndpointSecrets } from '../secrets/endpoint-secrets.ts';
import { LAST_DELIVERED, pendingOf } from '../deliveries/pending-of-endpoints.ts';

export interface EndpointRow {
  readonly id: string;
  readonly url: string;
  readonly event_types: EventType[];
  readonly description: string | null;
  readonly enabled: boolean;
  readonly disabled_reason: string | null;
  readonly signature: Signature;
  readonly public_key: string | null;
  readonly created_at: Date;
  readonly circuit: Circuit;
  readonly failing_since: Date | null;
  readonly next_probe_at: Date | null;
  readonly secrets: string;
  readonly pending: number;
  readonly oldest_pending_at: Date | null;
  readonly last_delivered_at: Date | null;
}

export function endpointOf(row: EndpointRow, secrets: EndpointSecrets): WebhookEndpoint {
  const { id, url, description, enabled, signature, circuit } = row;
  return {
    id,
    url,
    eventTypes: row.event_types,
    description,
    enabled,
    disabledReason: row.disabled_reason,
    signature,
    publicKey: row.public_key,
    createdAt: row.created_at,
    circuit,
    failingSince: row.failing_since,
    nextProbeAt: row.next_probe_at,
    problem: secrets.isReadable(row.secrets, id) ? null : 'secret_unreadable',
    pending: row.pending,
    oldestPendingAt: row.oldest_pending_at,
    lastDeliveredAt: row.last_delivered_at,
  };
}

const COLUMNS = `x.id, x.url, x.event_types, x.description, x.enabled, x.disabled_reason, x.signature, x.public_key,
  x.created_at, coalesce(x.secrets, '') AS secrets`;

/** A new endpoint has no circuit and no deliveries yet. */
export const NEW_ENDPOINT_COLUMNS = `${COLUMNS}, 'closed' AS circuit, NULL AS failing_since, NULL AS next_probe_at,
  0 AS pending, NULL AS oldest_pending_at, NULL AS last_delivered_at`;

/** The webhook endpoints, without RabbitMQ; pending deliveries are counted up to `most`, an SQL expression. */
export function selectEndpoints(most: string): string {
  return `
  SELECT ${COLUMNS}, coalesce(c.state, 'closed') AS circuit, c.failing_since,
    CASE WHEN c.state = 'open' THEN greatest(c.probe_at, now()) END AS next_probe_at,
    backlog.pending, oldest.created_at AS oldest_pending_at,
    greatest(x.delivered_at, latest.at) AS last_delivered_at
  FROM destination x
  LEFT JOIN endpoint_circuit c ON c.destination_id = x.id
  CROSS JOIN LATERAL (${pendingOf('x.id', most)}) backlog
  LEFT JOIN delivery oldest ON oldest.id = backlog.oldest_id
  LEFT JOIN LATERAL (${LAST_DELIVERED}) latest ON true
  WHERE x.kind = 'webhook'`;
}
