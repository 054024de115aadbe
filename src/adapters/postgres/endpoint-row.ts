import type { EventType } from '../../domain/event.ts';
import type { Signature, WebhookEndpoint } from '../../ports/webhook-endpoints.ts';

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
}

export function endpointOf(row: EndpointRow): WebhookEndpoint {
  const { id, url, description, enabled, signature } = row;
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
  };
}

export const ENDPOINT_COLUMNS = `id, url, event_types, description, enabled, disabled_reason, signature, public_key, created_at`;
