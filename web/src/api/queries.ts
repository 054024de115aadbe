import { queryOptions } from '@tanstack/react-query';

import { call } from './client.ts';
import type { Endpoint } from './types.ts';

/** The webhook endpoints: several screens name them. */
export function endpointsQuery(isOn = true) {
  return queryOptions({
    queryKey: ['endpoints'] as const,
    queryFn: async ({ signal }) => (await call('get', '/api/webhook-endpoints', { signal })).data,
    enabled: isOn,
    refetchInterval: 10_000,
  });
}

/** What a person calls an endpoint: its description, or else the host of its URL. */
export function endpointName({ url, description }: Pick<Endpoint, 'url' | 'description'>): string {
  if (description !== null && description !== '') return description;
  return URL.canParse(url) ? new URL(url).host : url;
}

/** The name of an endpoint; one that is in no list was deleted, unless the list is not known yet. */
export function nameIn(names: ReadonlyMap<string, string>, endpointId: string): string {
  return names.get(endpointId) ?? (names.size === 0 ? 'an endpoint' : 'a deleted endpoint');
}

/** The names of endpoints by their ids; one that was deleted has none. */
export function endpointNames(endpoints: readonly Endpoint[] = []): ReadonlyMap<string, string> {
  return new Map(endpoints.map((endpoint) => [endpoint.id, endpointName(endpoint)]));
}
