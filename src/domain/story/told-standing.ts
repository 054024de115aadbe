import { UNTOLD_AFTER_MS } from '../event/told.ts';
import type { Story } from './story.ts';
import { unawareOf, type SaidDelivery, type Trouble, type Unaware } from './untold-events.ts';

/**
 * The knowledge of the receivers. `hidden`: the reader may not see it; `unset`: there is no destination now; `nobody`: an event had no
 * receiver, or its receiver is deleted; `no_event`: none was sent to a present destination; else the trouble of the first one that lacks
 * an event.
 */
export type Told = 'hidden' | 'unset' | 'nobody' | 'no_event' | 'all' | Trouble;

interface ToldStanding {
  readonly told: Told;
  readonly isUntold: boolean;
  readonly unaware: readonly Unaware[];
  readonly unreceived: readonly SaidDelivery[];
}

/** Who knows of a payment, as src/database/attention/untold.ts counts it. */
export function toldOf(story: Story): ToldStanding {
  const unaware = unawareIn(story);
  const unreceived = unreceivedIn(story);
  const told = toldIn(story, unaware, unreceived);
  return { told, isUntold: isUntold(story, unaware, unreceived), unaware, unreceived };
}

function unawareIn({ deliveries, destinations }: Story): Unaware[] {
  return [...(destinations ?? [])]
    .map(([id, name]) =>
      unawareOf(
        name,
        deliveries.filter(({ endpointId }) => endpointId === id),
      ),
    )
    .filter((one) => one !== null)
    .sort((one, other) => one.rank - other.rank);
}

/** Deliveries to absent destinations, of events that none has acknowledged. */
function unreceivedIn({ deliveries, destinations }: Story): SaidDelivery[] {
  if (destinations === null) return [];
  const told = new Set(
    deliveries.filter(({ state }) => state === 'delivered').map(({ sequence }) => sequence),
  );
  return deliveries.filter(
    ({ endpointId, sequence }) => !destinations.has(endpointId) && !told.has(sequence),
  );
}

function toldIn(
  { deliveries, destinations }: Story,
  [first]: readonly Unaware[],
  unreceived: readonly SaidDelivery[],
): Told {
  if (destinations === null) return 'hidden';
  if (destinations.size === 0) return 'unset';
  if (first !== undefined) return first.trouble;
  if (unreceived.length > 0) return 'nobody';
  return deliveries.some(({ endpointId }) => destinations.has(endpointId)) ? 'all' : 'no_event';
}

function isUntold({ now }: Story, unaware: readonly Unaware[], unreceived: readonly SaidDelivery[]): boolean {
  const missing = [...unaware.flatMap(({ head, others }) => [head, ...others]), ...unreceived];
  return missing.some(
    ({ createdAt }) => createdAt === undefined || now - Date.parse(createdAt) > UNTOLD_AFTER_MS,
  );
}
