import { queryOptions } from '@tanstack/react-query';

import { call } from '../../api/client.ts';

export function endpointQuery(id: string) {
  return queryOptions({
    queryKey: ['endpoint', id, 'endpoint'] as const,
    queryFn: ({ signal }) => call('get', '/api/webhook-endpoints/{id}', { path: { id }, signal }),
    refetchInterval: 5_000,
  });
}

/** The newest deliveries that are not acknowledged: how they failed is summed up by class. */
export function troublesQuery(endpointId: string) {
  return queryOptions({
    queryKey: ['endpoint', endpointId, 'troubles'] as const,
    queryFn: async ({ signal }) => {
      const query = { endpointId, state: ['pending' as const, 'failed' as const], limit: 100 };
      return (await call('get', '/api/webhook-deliveries', { query, signal })).data;
    },
    refetchInterval: 10_000,
  });
}

/** Its recoveries; read often while one runs. */
export function recoveriesQuery(id: string) {
  return queryOptions({
    queryKey: ['endpoint', id, 'recoveries'] as const,
    queryFn: async ({ signal }) =>
      (await call('get', '/api/webhook-endpoints/{id}/recoveries', { path: { id }, signal })).data,
    refetchInterval: ({ state }) => (state.data?.[0]?.state === 'running' ? 1_500 : 30_000),
  });
}
