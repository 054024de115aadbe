import {
  endpointStateOf,
  type EndpointFacts,
  type EndpointState,
} from '../domain/delivery/endpoint-state.ts';
import type { DestinationFacts } from './destination-facts.ts';
import type { ConnectionTrouble } from './readiness.ts';

/**
 * The state of a destination, and since when it fails or refuses. A broker that is away counts like an endpoint with an open
 * circuit: attempts to connect are its probes.
 */
export function destinationStateOf(
  facts: DestinationFacts,
  trouble: ConnectionTrouble | null,
): { readonly state: EndpointState; readonly since: Date | null } {
  const known = stateFactsOf(facts, trouble);
  const { failingSince, refusedSince } = known;
  const state = endpointStateOf(known);
  if (state === 'refusing') return { state, since: refusedSince };
  const isFailing = state === 'open' || state === 'failing';
  return { state, since: isFailing ? (trouble?.since ?? failingSince ?? facts.refused.since) : null };
}

/** A kind without a circuit fails as long as it has accepted nothing since it began to refuse. */
export function stateFactsOf(facts: DestinationFacts, trouble: ConnectionTrouble | null): EndpointFacts {
  const refusedSince = trouble?.problem === 'refuses' ? trouble.since : facts.refused.since;
  return {
    enabled: facts.enabled,
    circuit: trouble?.problem === 'away' ? 'open' : facts.circuit,
    failingSince: facts.url === null ? refusedSince : facts.failingSince,
    refusedSince,
    lastDeliveredAt: facts.lastDeliveredAt,
  };
}
