import type { DestinationFacts } from '../../src/ports/destination-facts.ts';

const ID = '3b241101-e2bb-4255-8caf-4136c566a962';

/** A webhook endpoint that acknowledges its events. */
export function destinationFacts(more: Partial<DestinationFacts> = {}): DestinationFacts {
  return {
    rowId: ID,
    id: ID,
    kind: 'webhook',
    name: 'shop EU',
    url: 'https://shop.example/hook',
    enabled: true,
    disabledReason: null,
    circuit: 'closed',
    failingSince: null,
    nextProbeAt: null,
    refused: { payments: 0, since: null, examples: [] },
    pending: 0,
    isMore: false,
    oldestPendingAt: null,
    unsent: { count: 0, isMore: false, since: null },
    lastDeliveredAt: null,
    lastFailure: null,
    testedAt: null,
    ...more,
  };
}
