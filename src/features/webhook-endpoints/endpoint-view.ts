import { EVENT_TYPES } from '../../domain/event/event.ts';
import type { SigningKey, WebhookEndpoint } from '../../ports/webhook-endpoints.ts';
import type { WebhookEndpointView } from './webhook-endpoint.dto.ts';

/** An endpoint as the API returns it. Without stored types it gets all types, including those of later versions. */
export function viewOf(endpoint: WebhookEndpoint): Pick<WebhookEndpointView, keyof WebhookEndpointView> {
  const { eventTypes } = endpoint;
  return { ...endpoint, eventTypes: eventTypes.length === 0 ? EVENT_TYPES : eventTypes };
}

/** The secret to show to the receiver; null for a key pair, since a private key never leaves this service. */
export function shownSecret({ secret, publicKey }: SigningKey): string | null {
  return publicKey === null ? secret : null;
}
