import { adviceOn } from '../../domain/delivery/failure-advice.ts';
import { latencyIn, type Counts } from '../../domain/figures/counts.ts';
import type { DestinationFacts } from '../../ports/destination-facts.ts';
import { destinationStateOf } from '../../ports/destination-state.ts';
import type { ConnectionTrouble } from '../../ports/readiness.ts';
import type { DestinationAnswer, LastFailureAnswer } from './destinations.dto.ts';

/** The state of a destination that is not among the database's facts about it. */
export interface Beside {
  /** The trouble of the destination's connection that keeps events from it; null: no trouble, or no connection. */
  readonly trouble: ConnectionTrouble | null;
  readonly isUnreadable: boolean;
  /** The destination's counts of the last hour. */
  readonly counts: Counts;
}

export function destinationView(facts: DestinationFacts, beside: Beside): DestinationAnswer {
  const { rowId, id, kind, name, url, disabledReason, nextProbeAt, refused, lastDeliveredAt } = facts;
  const { state, since } = destinationStateOf(facts, beside.trouble);
  return {
    id: id ?? rowId,
    kind,
    name,
    url,
    state,
    since,
    disabledReason,
    problem: beside.isUnreadable ? 'secret_unreadable' : null,
    nextProbeAt,
    waiting: facts.pending,
    isMore: facts.isMore,
    waitingSince: facts.oldestPendingAt,
    unsent: facts.unsent,
    refused,
    lastDeliveredAt,
    lastFailure: lastFailureOf(facts, beside.trouble),
    latency: latencyIn(beside.counts, 'latency'),
  };
}

/** Trouble of the connection counts as the last failure: while it lasts, no attempt is made. */
function lastFailureOf(
  { lastFailure }: DestinationFacts,
  trouble: ConnectionTrouble | null,
): LastFailureAnswer | null {
  if (trouble !== null && (lastFailure === null || trouble.problem === 'away')) {
    const { problem: failure, detail: text, since: at } = trouble;
    return {
      at,
      failure,
      code: null,
      advice: adviceOn(failure, null),
      httpStatus: null,
      text,
      deliveryId: null,
    };
  }
  if (lastFailure === null) return null;
  const { excerpt, ...failed } = lastFailure;
  const advice = adviceOn(failed.failure, failed.code);
  return { ...failed, advice, text: excerpt ?? trouble?.detail ?? null };
}
