/**
 * The state of an endpoint. `refusing`: it takes some payments and refuses others. `failing`: a payment whose first attempt
 * came after the last success fails too. `open`: it gets only probes. `recovering`: it answers again, and gets its backlog
 * little by little.
 */
export const ENDPOINT_STATES = ['ok', 'refusing', 'failing', 'open', 'recovering', 'disabled'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

/** An endpoint that fails for this long needs a person; a shop that restarts fails for less. */
export const FAILING_NEEDS_PERSON_AFTER_MS = 60_000;

export interface EndpointFacts {
  readonly enabled: boolean;
  readonly circuit: 'closed' | 'open' | 'recovering';
  /**
   * The first attempt of the first failed payment that had not failed before the last success; null: there is none. Retries
   * of payments that were refused earlier never set it: see note_outcomes.sql.
   */
  readonly failingSince: Date | null;
  /** The first failed attempt among deliveries that are to be tried again; null: there are none. */
  readonly refusedSince: Date | null;
  readonly lastDeliveredAt: Date | null;
}

/** The function endpoint_state of the database has the same rule. */
export function endpointStateOf(facts: EndpointFacts): EndpointState {
  const { enabled, circuit, failingSince, refusedSince, lastDeliveredAt } = facts;
  if (!enabled) return 'disabled';
  if (circuit !== 'closed') return circuit;
  if (isAfter(failingSince, lastDeliveredAt)) return 'failing';
  if (refusedSince === null) return 'ok';
  return lastDeliveredAt === null ? 'failing' : 'refusing';
}

/** Whether to show a person the payments that the endpoint refuses: not while the endpoint is shown as failing. */
export function isNamedAsRefusing(facts: EndpointFacts, now: Date): boolean {
  const state = endpointStateOf(facts);
  if (state !== 'failing') return state === 'refusing';
  const { failingSince, refusedSince, lastDeliveredAt } = facts;
  const hasFailedForMs = failingSince === null ? Infinity : now.getTime() - failingSince.getTime();
  const isBefore = refusedSince !== null && lastDeliveredAt !== null && refusedSince < lastDeliveredAt;
  return isBefore && hasFailedForMs < FAILING_NEEDS_PERSON_AFTER_MS;
}

function isAfter(at: Date | null, other: Date | null): boolean {
  return at !== null && (other === null || at > other);
}
