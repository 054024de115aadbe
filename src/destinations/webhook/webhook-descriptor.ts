import type { DestinationDescriptor } from '../../ports/destinations.ts';

const FAILURES = [
  'timeout',
  'dns',
  'refused',
  'tls',
  'reset',
  'status',
  'redirect',
  'gone',
  'blocked_address',
  'too_large',
] as const;
export type WebhookFailure = (typeof FAILURES)[number];

export const WEBHOOK = {
  kind: 'webhook',
  name: 'Webhook endpoints',
  failures: FAILURES,
  delayCauses: ['waiting', 'failing', 'circuit_open', 'disabled'],
  targets: 'endpoints',
  requests: [],
  channel: {
    name: 'webhook',
    events: 'all',
    contentType: 'application/json',
    headers: {
      type: 'object',
      required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
      properties: {
        'webhook-id': { type: 'string', description: "The event's id, the same at every attempt." },
        'webhook-timestamp': { type: 'string', description: "The attempt's time in unix seconds." },
        'webhook-signature': {
          type: 'string',
          description: 'Standard Webhooks: a signature for each valid secret, spaces between.',
        },
        traceparent: { type: 'string', description: 'W3C Trace Context; only where tracing was on.' },
      },
    },
    channel: {
      address: null,
      title: 'Webhooks',
      description: 'The URL of each webhook endpoint. Per payment, an event follows the one before it.',
    },
    operation: {
      summary: 'Paybell posts each event to every enabled endpoint that asked for its type.',
      bindings: { http: { method: 'POST' } },
    },
  },
} as const satisfies DestinationDescriptor;
