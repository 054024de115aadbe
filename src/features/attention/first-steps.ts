import type { BegunMove } from '../../ports/attention.ts';
import type { DestinationFacts } from '../../ports/destination-facts.ts';
import type { FirstStepsAnswer } from './attention.dto.ts';

/** Whether any destination has ever been told of an event. */
export function isAnybodyTold(destinations: readonly DestinationFacts[]): boolean {
  return destinations.some(({ lastDeliveredAt }) => lastDeliveredAt !== null);
}

export function firstSteps(destinations: readonly DestinationFacts[], begun: BegunMove): FirstStepsAnswer {
  const isTested = destinations.some(({ testedAt }) => testedAt !== null);
  return { hasDestination: destinations.length > 0, isTested, ...begun };
}
