import { useInfiniteQuery, useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';

import { useEvents, useFeedState } from '../../api/event-feed.ts';
import type { Payment, PaymentEvent, PaymentsPage } from '../../api/types.ts';
import { changed, withNewer } from './changed-payments.ts';
import { newestQuery, paymentsQuery } from './payments-query.ts';
import type { PaymentsSearch } from './payments-search.ts';

/** The shortest time between two reads of the newest page, however many events come. */
const NEWEST_EVERY_MS = 3_000;

/** The list, the number of newer payments above it, and rows that are kept up to date in place. */
export function usePayments(search: PaymentsSearch) {
  const client = useQueryClient();
  const list = useInfiniteQuery(paymentsQuery(search));
  const newest = useQuery(newestQuery(search, list.isSuccess));
  const readAt = useRef(0);

  const onEvent = useCallback(
    (event: PaymentEvent) => {
      client.setQueryData(paymentsQuery(search).queryKey, (data) => data && withEvent(data, event));
      const now = Date.now();
      if (now - readAt.current < NEWEST_EVERY_MS) return;
      readAt.current = now;
      setTimeout(
        () => void client.invalidateQueries({ queryKey: newestQuery(search, true).queryKey }),
        NEWEST_EVERY_MS,
      );
    },
    [client, search],
  );
  useEvents(onEvent, list.isSuccess);
  const isLive = useFeedState() === 'live';
  // Reads again for changes between the first read and the first event.
  useEffect(() => {
    if (isLive) void client.invalidateQueries({ queryKey: newestQuery(search, true).queryKey });
  }, [client, isLive, search]);

  const payments = useMemo(() => {
    const listed = list.data?.pages.flatMap((page) => page.data) ?? [];
    return withNewer(listed, newest.data);
  }, [list.data, newest.data]);
  const newCount = useMemo(() => countNew(payments, newest.data), [payments, newest.data]);

  const showNew = async (): Promise<void> => {
    await client.resetQueries({ queryKey: paymentsQuery(search).queryKey });
    await client.invalidateQueries({ queryKey: newestQuery(search, true).queryKey });
  };
  return { list, payments, newCount, showNew };
}

/** The payments of the newest page that belong above the list and are missing in it. */
function countNew(payments: readonly Payment[], newest: PaymentsPage | undefined): number {
  if (newest === undefined) return 0;
  const known = new Set(payments.map(({ quoteId }) => quoteId));
  const top = payments[0]?.createdAt ?? '';
  return newest.data.filter(({ quoteId, createdAt }) => !known.has(quoteId) && createdAt >= top).length;
}

type Pages = InfiniteData<PaymentsPage>;

/** The list, updated by an event about one of its payments. */
function withEvent(data: Pages, event: PaymentEvent): Pages {
  const isListed = data.pages.some((page) => page.data.some(({ quoteId }) => quoteId === event.subject));
  if (!isListed) return data;
  const pages = data.pages.map((page) => ({
    ...page,
    data: page.data.map((payment) => (payment.quoteId === event.subject ? changed(payment, event) : payment)),
  }));
  return { ...data, pages };
}
