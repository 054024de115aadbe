import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import { call } from '../../api/client.ts';

const AUDIT_PAGE = 50;

export const keysQuery = queryOptions({
  queryKey: ['access', 'keys'] as const,
  queryFn: async ({ signal }) => (await call('get', '/api/keys', { signal })).data,
  refetchInterval: 30_000,
});

export const sessionsQuery = queryOptions({
  queryKey: ['access', 'sessions'] as const,
  queryFn: async ({ signal }) => (await call('get', '/api/sessions', { signal })).data,
  refetchInterval: 30_000,
});

export interface AuditFilter {
  readonly who?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
}

export function auditQuery(filter: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: ['access', 'audit', filter] as const,
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === null ? {} : { cursor: pageParam };
      return call('get', '/api/audit', { query: { ...filter, limit: AUDIT_PAGE, ...cursor }, signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}
