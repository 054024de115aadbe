import { infiniteQueryOptions } from '@tanstack/react-query';

import { call } from '../../api/client.ts';
import type { DeliveriesSearch } from './deliveries-search.ts';

/** The list page by page, the newest first. Only its first page is read again by itself, while no other is shown. */
export function deliveriesQuery(search: DeliveriesSearch, limit: number) {
  return infiniteQueryOptions({
    queryKey: ['deliveries', search, limit] as const,
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === null ? {} : { cursor: pageParam };
      return call('get', '/api/webhook-deliveries', {
        query: { ...search, destinations: 'all', limit, ...cursor },
        signal,
      });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) === 1 ? 5_000 : false),
  });
}
