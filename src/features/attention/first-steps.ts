import type { BegunMove } from '../../ports/attention.ts';
import type { DestinationFacts } from '../../ports/destination-facts.ts';

/** The steps from a new Paybell to a shop that is told, in their order: true once one is done. */
export interface FirstSteps {
  readonly hasDestination: boolean;
  readonly isTested: boolean;
  readonly isHandedOver: boolean;
  readonly isAsked: boolean;
}

/** Whether any destination has ever been told of an event. */
export function isAnybodyTold(destinations: readonly DestinationFacts[]): boolean {
  return destinations.some(({ lastDeliveredAt }) => lastDeliveredAt !== null);
}

export function firstSteps(destinations: readonly DestinationFacts[], begun: BegunMove): FirstSteps {
  const isTested = destinations.some(({ testedAt }) => testedAt !== null);
  return { hasDestination: destinations.length > 0, isTested, ...begun };
}
