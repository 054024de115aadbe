import type { Stamp } from './event.ts';

const TEST_EVENT_TYPE = 'webhook.test';

/** The bytes of a test event: CloudEvents JSON about an endpoint and no payment, so without subject and sequence. */
export function testEvent({ id, source, time }: Stamp, endpointId: string): string {
  return JSON.stringify({
    specversion: '1.0',
    id,
    source,
    type: TEST_EVENT_TYPE,
    time: time.toISOString(),
    datacontenttype: 'application/json',
    data: { endpointId },
  });
}
