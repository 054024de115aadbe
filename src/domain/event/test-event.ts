import type { WebhookTest } from './event-payload.ts';
import type { Stamp } from './event.ts';

/** The bytes of a test event: CloudEvents JSON about an endpoint. Without a payment it has no subject and no sequence. */
export function testEvent({ id, source, time }: Stamp, endpointId: string): string {
  const payload: WebhookTest = {
    specversion: '1.0',
    id,
    source,
    type: 'webhook.test',
    time: time.toISOString(),
    datacontenttype: 'application/json',
    data: { endpointId },
  };
  return JSON.stringify(payload);
}
