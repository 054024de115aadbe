import { queryOptions } from '@tanstack/react-query';

import { call } from '../../api/client.ts';

export function providerQuery() {
  return queryOptions({
    queryKey: ['provider'] as const,
    queryFn: ({ signal }) => call('get', '/api/provider', { signal }),
    refetchInterval: 10_000,
  });
}
