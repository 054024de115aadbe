import { queryOptions } from '@tanstack/react-query';

import { call } from './client.ts';
import { EXCHANGE, type Delivery, type Destination, type Endpoint } from './types.ts';

/** All destinations of events: several screens show their names. */
export function destinationsQuery(isOn = true) {
  return queryOptions({
    queryKey: ['destinations'] as const,
    queryFn: async ({ signal }) => (await call('get', '/api/destinations', { signal })).data,
    enabled: isOn,
    refetchInterval: 10_000,
  });
}

/** An endpoint's name for people: its description, or else the host of its URL. */
export function endpointName({ url, description }: Pick<Endpoint, 'url' | 'description'>): string {
  return description !== null && description !== '' ? description : hostOf(url);
}

/** A destination's name for people; for an endpoint without a description, the host of its URL. */
export function destinationName({ name, url }: Pick<Destination, 'name' | 'url'>): string {
  return name === url ? hostOf(url) : name;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/**
 * The name of a delivery's destination, as in the lists. The API names destinations that are in no list: a deleted endpoint,
 * or no receiver.
 */
export function nameOf({ destination: { name } }: Pick<Delivery, 'destination'>): string {
  return hostOf(name);
}

/** The names of destinations by id; a deleted one has none. */
export function destinationNames(destinations: readonly Destination[] = []): ReadonlyMap<string, string> {
  return new Map(destinations.map((each) => [each.id, destinationName(each)]));
}

/** While the broker is away, marks untried deliveries as waiting for it: the database knows nothing about the connection. */
export function whileAway<
  Sent extends { readonly endpointId: string; readonly state: string; readonly waitingFor: string | null },
>(sent: Sent, destinations: readonly Destination[] = []): Sent | (Sent & { readonly waitingFor: 'broker' }) {
  if (sent.endpointId !== EXCHANGE || sent.state !== 'pending' || sent.waitingFor !== null) return sent;
  const isAway = destinations.some(({ id, state }) => id === EXCHANGE && state === 'open');
  return isAway ? { ...sent, waitingFor: 'broker' } : sent;
}
