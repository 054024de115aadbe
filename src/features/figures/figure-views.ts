import { countOf, countsOfWords, countsUnder, latencyIn, type Counts } from '../../domain/figures/counts.ts';
import { URGENCY_NAMES } from '../../domain/polling/urgency.ts';
import { POLL_OUTCOMES } from '../../ports/meter.ts';
import type { DestinationSum, FigurePoint } from '../../ports/minute-figures.ts';

/** Returns the figures of deliveries for their counts. */
export function deliveriesIn(counts: Counts) {
  return {
    deliveries: {
      delivered: countOf(counts, 'delivered'),
      givenUp: countOf(counts, 'givenUp'),
      failed: countsUnder(counts, 'failed'),
    },
    latency: latencyIn(counts, 'latency'),
    attempts: latencyIn(counts, 'attempts'),
  };
}

export function deliveryPointOf({ at, counts }: FigurePoint) {
  return { at, ...deliveriesIn(counts) };
}

export function pointOf(point: FigurePoint) {
  const { counts } = point;
  return {
    ...deliveryPointOf(point),
    polls: countsOfWords(counts, 'polls', POLL_OUTCOMES),
    pollsByClass: countsOfWords(counts, 'class', URGENCY_NAMES),
    changes: countsUnder(counts, 'changes'),
    requests: latencyIn(counts, 'requests'),
    detectionGap: latencyIn(counts, 'gap'),
  };
}

/** A kind that has one target is named by the kind. */
export function endpointOf({ destinationId, kind: destination, counts }: DestinationSum) {
  const endpointId = destination === 'webhook' ? destinationId : destination;
  return { endpointId, destination, ...deliveriesIn(counts) };
}

/** Sorts the most failed attempts first. */
export function byFailures(one: DestinationSum, other: DestinationSum): number {
  return failuresIn(other) - failuresIn(one) || (one.destinationId < other.destinationId ? -1 : 1);
}

function failuresIn({ counts }: DestinationSum): number {
  return Object.values(countsUnder(counts, 'failed')).reduce((sum, count) => sum + count, 0);
}
