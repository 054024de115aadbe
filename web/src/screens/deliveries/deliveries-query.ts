import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import { call } from '../../api/client.ts';
import type { DeliveriesSearch } from './deliveries-search.ts';

function conditionsOf({ resolved, destinations, ...search }: DeliveriesSearch) {
  return {
    ...search,
    destinations: destinations ?? ('all' as const),
    ...(resolved === undefined ? {} : { resolved: resolved === 'true' }),
  };
}

/** The number of all deliveries, however many the list has read. */
export function deliveryCountQuery({ sort: _sort, ...query }: DeliveriesSearch, isOn = true) {
  return queryOptions({
    queryKey: ['deliveries', 'count', query] as const,
    queryFn: ({ signal }) =>
      call('get', '/api/webhook-delivery-count', { query: conditionsOf(query), signal }),
    enabled: isOn,
    refetchInterval: 30_000,
  });
}

/** The list, page by page. It refreshes by itself only while it has a single page. */
export function deliveriesQuery(search: DeliveriesSearch, limit: number) {
  return infiniteQueryOptions({
    queryKey: ['deliveries', search, limit] as const,
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === null ? {} : { cursor: pageParam };
      return call('get', '/api/webhook-deliveries', {
        query: { ...conditionsOf(search), limit, ...cursor },
        signal,
      });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) === 1 ? 5_000 : false),
  });
}
