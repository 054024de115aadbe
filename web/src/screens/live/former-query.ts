import { queryOptions } from '@tanstack/react-query';

import { requestJson } from '../../api/request.ts';
import type { PaymentEvent } from '../../api/types.ts';

const FORMER = 20;

/** The last events before the page was opened, the newest first. */
export const formerQuery = queryOptions({
  queryKey: ['live', 'former'] as const,
  queryFn: async ({ signal }): Promise<PaymentEvent[]> => {
    const { data } = await requestJson<{ data: PaymentEvent[] }>(`/api/events?last=${FORMER}`, { signal });
    return data.toReversed();
  },
  staleTime: Infinity,
  gcTime: 0,
});
