import { EVENT_TYPES } from '../../domain/event/event.ts';
import type { SigningKey, WebhookEndpoint } from '../../ports/webhook-endpoints.ts';
import type { WebhookEndpointView } from './webhook-endpoint.dto.ts';

/** No types stored means all of them, those of later versions included. */
export function viewOf(endpoint: WebhookEndpoint): Pick<WebhookEndpointView, keyof WebhookEndpointView> {
  const { eventTypes, createdAt, failingSince, nextProbeAt, oldestPendingAt, lastDeliveredAt, ...rest } =
    endpoint;
  return {
    ...rest,
    eventTypes: eventTypes.length === 0 ? EVENT_TYPES : eventTypes,
    createdAt: createdAt.toISOString(),
    failingSince: failingSince?.toISOString() ?? null,
    nextProbeAt: nextProbeAt?.toISOString() ?? null,
    oldestPendingAt: oldestPendingAt?.toISOString() ?? null,
    lastDeliveredAt: lastDeliveredAt?.toISOString() ?? null,
  };
}

/** What of it is for the receiver: a private key never leaves this service. */
export function shownSecret({ secret, publicKey }: SigningKey): string | null {
  return publicKey === null ? secret : null;
}
