import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import { queryText } from '../../api/client.ts';
import { requestJson } from '../../api/request.ts';
import type { CountAnswer, PaymentsPage } from '../../api/types.ts';
import { queryOf, type PaymentsSearch } from './payments-search.ts';

const PAGE = 100;

function readPage(search: PaymentsSearch, cursor: string | null, signal: AbortSignal): Promise<PaymentsPage> {
  const query = { ...queryOf(search, Date.now()), limit: PAGE, cursor };
  return requestJson<PaymentsPage>(`/api/payments${queryText(query)}`, { signal });
}

/** Back finds the rows that were read; events keep them up to date only while the list is shown. */
const KEPT_MS = 30 * 60_000;
const FRESH_MS = 60_000;

/** The list, page by page. While it is shown, it does not refresh by itself: rows would move under the cursor. */
export function paymentsQuery(search: PaymentsSearch) {
  return infiniteQueryOptions({
    queryKey: ['payments', 'list', search] as const,
    queryFn: ({ pageParam, signal }) => readPage(search, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: FRESH_MS,
    gcTime: KEPT_MS,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/** The newest page, read beside the list to find new payments. */
export function newestQuery(search: PaymentsSearch, isOn: boolean) {
  return queryOptions({
    queryKey: ['payments', 'newest', search] as const,
    queryFn: ({ signal }) => readPage(search, null, signal),
    enabled: isOn,
    staleTime: Infinity,
    refetchInterval: 20_000,
  });
}

/** The number of all payments, however many the list has read. */
export function countQuery({ sort: _sort, ...filters }: PaymentsSearch, isOn: boolean) {
  return queryOptions({
    queryKey: ['payments', 'count', filters] as const,
    queryFn: ({ signal }) =>
      requestJson<CountAnswer>(`/api/payment-count${queryText(queryOf(filters, Date.now()))}`, { signal }),
    enabled: isOn,
    refetchInterval: 60_000,
  });
}

/** The URL of the same list as CSV. */
export function csvUrl(search: PaymentsSearch): string {
  return `/api/payments${queryText(queryOf(search, Date.now()))}`;
}
