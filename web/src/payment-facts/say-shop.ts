import { EXCHANGE } from '../api/types.ts';
import { counted } from '../format/amount.ts';
import { groupBy } from '../format/group-by.ts';
import { NOBODY, inFull, shortly, unawareOf, type SaidDelivery } from './say-untold.ts';

/** How many of the other destinations without the event are named. */
const MAX_NAMED = 2;

interface ToldStory {
  readonly deliveries: readonly SaidDelivery[];
  readonly destinations: ReadonlyMap<string, string> | null;
  readonly now: number;
}

/** Says which destinations know; of those that do not, the one with the most informative answer first. */
export function shopSentence({ deliveries, destinations, now }: ToldStory): string {
  if (destinations === null) return '';
  if (destinations.size === 0) return 'Nobody is told: no endpoint is set up, and RabbitMQ is off.';
  if (deliveries.length === 0) return '';
  const groups = [...groupBy(deliveries, ({ endpointId }) => endpointId)].filter(([id]) =>
    destinations.has(id),
  );
  const unaware = groups
    .map(([id, own]) => unawareOf(destinations.get(id) ?? 'a destination', own))
    .filter((one) => one !== null)
    .sort((one, other) => one.rank - other.rank);
  const [first, ...others] = unaware;
  if (first === undefined) {
    const known = groups.map(([id]) => destinations.get(id) ?? '');
    if (groups.length > 0) return acknowledged(deliveries, known);
    return deliveries.some(({ endpointId }) => endpointId === NOBODY)
      ? 'Nobody was told: there was no receiver then.'
      : '';
  }
  const also = others.slice(0, MAX_NAMED).map((one) => shortly(one));
  const more = others.length - also.length;
  if (more > 0)
    also.push(`${counted(more, 'other destination')} ${more === 1 ? 'does' : 'do'} not know either.`);
  return [inFull(first, now), ...also].filter(Boolean).join(' ');
}

function acknowledged(deliveries: readonly SaidDelivery[], [name, ...others]: readonly string[]): string {
  const most = Math.max(...deliveries.map(({ attemptCount }) => attemptCount));
  if (others.length > 0) return `All ${others.length + 1} destinations know.`;
  if (deliveries.some(({ endpointId }) => endpointId === EXCHANGE)) return `${name} has all of its events.`;
  return most <= 1 ? 'The shop knows.' : `The shop knows: it acknowledged at the ${ordinal(most)} try.`;
}

function ordinal(value: number): string {
  const words = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth'];
  return words[value] ?? `${value}th`;
}
