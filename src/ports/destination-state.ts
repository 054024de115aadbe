import { endpointStateOf, type EndpointState } from '../domain/delivery/endpoint-state.ts';
import type { DestinationFacts } from './destination-facts.ts';
import type { ConnectionTrouble } from './readiness.ts';

/**
 * How a destination fares, and since when it fails or refuses. A broker that is away counts like an endpoint with an open
 * circuit: attempts to connect are its probes.
 */
export function destinationStateOf(
  facts: DestinationFacts,
  trouble: ConnectionTrouble | null,
): { readonly state: EndpointState; readonly since: Date | null } {
  const { refused, failingSince } = facts;
  const circuit = trouble?.problem === 'away' ? 'open' : facts.circuit;
  const refusedSince = trouble?.problem === 'refuses' ? trouble.since : refused.since;
  const state = endpointStateOf({ ...facts, circuit, refusedSince });
  if (state === 'refusing') return { state, since: refusedSince };
  const isFailing = state === 'open' || state === 'failing';
  return { state, since: isFailing ? (trouble?.since ?? failingSince ?? refused.since) : null };
}
