import type { Settlement } from '../ports/deliveries.ts';

/** What an operator is told of an attempt that failed; null where there is nothing to tell. */
export function failureLine({ delivery, outcome, retryInMs }: Settlement): string | null {
  // What nobody is bound for is no trouble of the broker's, and told by the destination at a bounded pace.
  if (outcome.kind !== 'failed' || outcome.failure === 'unroutable') return null;
  const what = `${delivery.type} #${delivery.sequence} of ${delivery.quoteId} to ${delivery.destinationId}`;
  const then = retryInMs === null ? 'given up' : `again in ${Math.round(retryInMs / 1000)} s`;
  const status = outcome.httpStatus === null ? '' : ` ${outcome.httpStatus}`;
  return `${what} failed (${outcome.failure}${status}), attempt ${delivery.attempts + 1}, ${then}`;
}
