import type { ApiClient, Schemas } from './api-client.ts';

export type PaymentEvent = Schemas['EventsAnswer']['data'][number];

/** All events of a payment, in order. */
export async function eventsOf(api: ApiClient, quoteId: string, patienceMs = 0): Promise<PaymentEvent[]> {
  const events: PaymentEvent[] = [];
  let cursor: string | undefined;
  do {
    const asked = { path: { quoteId }, query: cursor === undefined ? {} : { cursor } };
    const { data } = await api.callPatiently(patienceMs, 'get', '/api/payments/{quoteId}/events', asked);
    events.push(...data.data);
    cursor = data.nextCursor;
  } while (cursor !== undefined);
  return events;
}
