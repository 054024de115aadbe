import { queryOptions } from '@tanstack/react-query';

import { call } from '../../api/client.ts';

/** The state of every provider, the preferred one first. */
export function providersQuery() {
  return queryOptions({
    queryKey: ['providers'] as const,
    queryFn: ({ signal }) => call('get', '/api/providers', { signal }),
    select: ({ data }) => data,
    refetchInterval: 10_000,
  });
}
