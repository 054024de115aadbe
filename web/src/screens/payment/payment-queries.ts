import { queryOptions } from '@tanstack/react-query';

import { call, queryText } from '../../api/client.ts';
import { requestJson } from '../../api/request.ts';
import type { Delivery, DeliveryDetail, Payment, PaymentEvent } from '../../api/types.ts';

/** The most pages read for one payment: thousands of events or deliveries. */
const MAX_PAGES = 40;
const PAGE = 100;
const WATCHED_EVERY_MS = 10_000;

export function paymentQuery(quoteId: string) {
  return queryOptions({
    queryKey: ['payment', quoteId, 'payment'] as const,
    queryFn: ({ signal }): Promise<Payment> =>
      call('get', '/api/payments/{quoteId}', { path: { quoteId }, signal }),
    refetchInterval: ({ state }) => (state.data?.tracking === 'closed' ? false : WATCHED_EVERY_MS),
  });
}

interface Page<Item> {
  readonly data: readonly Item[];
  readonly nextCursor?: string | null;
}

/** All pages of a list, up to the limit. */
async function allOf<Item>(read: (cursor: string | undefined) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { data, nextCursor } = await read(cursor);
    items.push(...data);
    if (nextCursor === null || nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return items;
}

export function eventsQuery(quoteId: string) {
  const path = `/api/payments/${encodeURIComponent(quoteId)}/events`;
  return queryOptions({
    queryKey: ['payment', quoteId, 'events'] as const,
    queryFn: ({ signal }) =>
      allOf((cursor) => requestJson<Page<PaymentEvent>>(`${path}${queryText({ cursor })}`, { signal })),
  });
}

/** The quote ids of the other payments that paid the order of a payment too; none where it was not paid twice. */
export function alsoPaidByQuery({ quoteId, orderId }: Pick<Payment, 'quoteId' | 'orderId'>) {
  return queryOptions({
    queryKey: ['payment', quoteId, 'also-paid-by', orderId] as const,
    queryFn: async ({ signal }): Promise<readonly string[]> => {
      if (orderId === null) return [];
      const query = { orderId, paidTwice: true };
      const paid = (await call('get', '/api/payments', { query, signal })).data.map((each) => each.quoteId);
      return paid.includes(quoteId) ? paid.filter((each) => each !== quoteId) : [];
    },
    refetchInterval: WATCHED_EVERY_MS,
  });
}

/** The deliveries of all events, in the order of the events; refreshed while one waits. */
export function deliveriesOfPaymentQuery(quoteId: string, isOn: boolean) {
  return queryOptions({
    queryKey: ['payment', quoteId, 'deliveries'] as const,
    queryFn: async ({ signal }): Promise<Delivery[]> => {
      const newestFirst = await allOf((cursor) =>
        call('get', '/api/webhook-deliveries', {
          query: { quoteId, destinations: 'all', limit: PAGE, cursor },
          signal,
        }),
      );
      return newestFirst.reverse();
    },
    enabled: isOn,
    refetchInterval: ({ state }) =>
      state.data?.some((delivery) => delivery.state === 'pending') === true ? 3_000 : false,
  });
}

/**
 * The attempts of a delivery that did not succeed at once. `attemptCount` in the key causes a new read after each attempt.
 */
export function attemptsQuery({ id, attemptCount, state }: Delivery) {
  return queryOptions({
    queryKey: ['delivery-attempts', id, attemptCount, state] as const,
    queryFn: ({ signal }): Promise<DeliveryDetail> =>
      call('get', '/api/webhook-deliveries/{id}', { path: { id }, signal }),
    staleTime: Infinity,
  });
}
