import { queryOptions } from '@tanstack/react-query';

import { call } from './client.ts';
import { EXCHANGE, type Delivery, type Destination, type Endpoint } from './types.ts';

/** All that events are sent to: several screens name them. */
export function destinationsQuery(isOn = true) {
  return queryOptions({
    queryKey: ['destinations'] as const,
    queryFn: async ({ signal }) => (await call('get', '/api/destinations', { signal })).data,
    enabled: isOn,
    refetchInterval: 10_000,
  });
}

/** What a person calls an endpoint: its description, or else the host of its URL. */
export function endpointName({ url, description }: Pick<Endpoint, 'url' | 'description'>): string {
  return description !== null && description !== '' ? description : hostOf(url);
}

/** What a person calls a destination; of an endpoint without a description, the host of its URL. */
export function destinationName({ name, url }: Pick<Destination, 'name' | 'url'>): string {
  return name === url ? hostOf(url) : name;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** Where a delivery goes, as the lists name it; the API names what is in no list: a deleted endpoint, or nobody. */
export function nameOf({ destination: { name } }: Pick<Delivery, 'destination'>): string {
  return hostOf(name);
}

/** The names of destinations by their ids; one that was deleted has none. */
export function destinationNames(destinations: readonly Destination[] = []): ReadonlyMap<string, string> {
  return new Map(destinations.map((each) => [each.id, destinationName(each)]));
}

/** A delivery that was never tried waits for its broker while that is away: the database knows nothing of the connection. */
export function whileAway<
  Sent extends { readonly endpointId: string; readonly state: string; readonly waitingFor: string | null },
>(sent: Sent, destinations: readonly Destination[] = []): Sent | (Sent & { readonly waitingFor: 'broker' }) {
  if (sent.endpointId !== EXCHANGE || sent.state !== 'pending' || sent.waitingFor !== null) return sent;
  const isAway = destinations.some(({ id, state }) => id === EXCHANGE && state === 'open');
  return isAway ? { ...sent, waitingFor: 'broker' } : sent;
}
