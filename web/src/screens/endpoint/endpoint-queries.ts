import { queryOptions } from '@tanstack/react-query';

import { call } from '../../api/client.ts';

export function endpointQuery(id: string) {
  return queryOptions({
    queryKey: ['endpoint', id, 'endpoint'] as const,
    queryFn: ({ signal }) => call('get', '/api/webhook-endpoints/{id}', { path: { id }, signal }),
    refetchInterval: 5_000,
  });
}

/** The endpoint's failures by class, over deliveries that it has not acknowledged. */
export function failuresQuery(id: string) {
  return queryOptions({
    queryKey: ['endpoint', id, 'failures'] as const,
    queryFn: ({ signal }) => call('get', '/api/webhook-endpoints/{id}/failures', { path: { id }, signal }),
    refetchInterval: 10_000,
  });
}

/** The endpoint's recoveries, refreshed often while one runs. */
export function recoveriesQuery(id: string) {
  return queryOptions({
    queryKey: ['endpoint', id, 'recoveries'] as const,
    queryFn: async ({ signal }) =>
      (await call('get', '/api/webhook-endpoints/{id}/recoveries', { path: { id }, signal })).data,
    refetchInterval: ({ state }) => (state.data?.[0]?.state === 'running' ? 1_500 : 30_000),
  });
}
