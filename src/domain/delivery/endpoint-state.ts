/**
 * How an endpoint fares. `refusing`: it takes some payments and refuses others; `failing`: the last attempts failed; `open`: it
 * gets only probes; `recovering`: it answers again, and gets what waited little by little.
 */
export const ENDPOINT_STATES = ['ok', 'refusing', 'failing', 'open', 'recovering', 'disabled'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

/** The failing payments without a success between that are no longer taken for refused ones: see note_outcomes.sql. */
export const FAILING_PAYMENTS = 3;

export interface EndpointFacts {
  readonly enabled: boolean;
  readonly circuit: 'closed' | 'open' | 'recovering';
  /** The payments that have failed since the last success, counted up to FAILING_PAYMENTS. */
  readonly failingPayments: number;
  /** The time of the first failed attempt of those that are to be tried again; null: there are none. */
  readonly refusedSince: Date | null;
  readonly lastDeliveredAt: Date | null;
}

export function endpointStateOf(facts: EndpointFacts): EndpointState {
  const { enabled, circuit, failingPayments, refusedSince, lastDeliveredAt } = facts;
  if (!enabled) return 'disabled';
  if (circuit !== 'closed') return circuit;
  const takesOthers = refusedSince !== null && lastDeliveredAt !== null && lastDeliveredAt > refusedSince;
  if (takesOthers && failingPayments < FAILING_PAYMENTS) return 'refusing';
  return failingPayments > 0 || refusedSince !== null ? 'failing' : 'ok';
}
