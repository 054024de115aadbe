import { lastVerdict, type Telling } from './standing.ts';
import { inFull, shortly, type SaidDelivery, type Unaware } from './untold-events.ts';
import { NOBODY } from '../event/told.ts';
import { counted } from './words.ts';

/** The id of RabbitMQ's exchange among destinations. */
const EXCHANGE = 'rabbitmq';
/** The most destinations that are named beside the first. */
const MAX_NAMED = 2;

export const NOT_SET_UP = 'Nobody is told: no endpoint is set up, and RabbitMQ is off.';

/** Names the events without a receiver. */
export function unreceivedWords({ unreceived, story: { deliveries } }: Telling): string {
  const [first] = unreceived;
  if (first === undefined) return '';
  const why = unreceived.some(({ endpointId }) => endpointId === NOBODY)
    ? 'there was no receiver then'
    : 'the endpoint that was to get it is deleted';
  const isAll = deliveries.every(({ sequence }) => unreceived.some((one) => one.sequence === sequence));
  if (isAll) return `Nobody was told: ${why}.`;
  const others = new Set(unreceived.map(({ sequence }) => sequence)).size - 1;
  const more = others === 0 ? '' : ` and ${others} more`;
  return `Nobody was told of ${first.type}${more}: ${why}.`;
}

/** Every destination that gets the payment's events has acknowledged all of them. */
export function receiversKnow({ story }: Telling): string {
  const [name, ...others] = namesOf(story.deliveries, story.destinations);
  if (name === undefined) return '';
  if (others.length > 0) return `All ${others.length + 1} destinations know.`;
  if (isExchangeAlone(story.deliveries)) return `${name} has all of its events.`;
  const most = Math.max(...story.deliveries.map(({ attemptCount }) => attemptCount));
  return most <= 1 ? 'The shop knows.' : `The shop knows: it acknowledged at the ${ordinal(most)} try.`;
}

/** First the destination whose answer says most. */
export function receiversLack({ unaware, story: { now, clock } }: Telling): string {
  const [first, ...others] = unaware;
  if (first === undefined) return '';
  const also = others.slice(0, MAX_NAMED).map((one) => shortly(one));
  const more = others.length - also.length;
  if (more > 0)
    also.push(`${counted(more, 'other destination')} ${more === 1 ? 'does' : 'do'} not know either.`);
  return [inFull(first, now, clock), ...also].join(' ');
}

/** The completion is held back, and those who get the event that says so have acknowledged it. */
export function holdsBack({ story }: Telling): string {
  const last = story.events.findLast(({ data }) => data.verification !== undefined);
  const told = (lastVerdict(story.events) ?? last)?.type;
  if (told === undefined) return 'Held back.';
  const deliveries = story.deliveries.filter(({ type }) => type === told);
  const [name, ...others] = namesOf(deliveries, story.destinations);
  if (name === undefined) return `Held back; no destination gets ${told}.`;
  if (others.length > 0)
    return `Held back; all ${others.length + 1} destinations were told to wait (${told}).`;
  return `Held back; ${isExchangeAlone(deliveries) ? name : 'the shop'} was told to wait (${told}).`;
}

/** For a person who may mend the destination. */
export function helpsReceiver({ unaware: [first] }: Telling): string {
  return first === undefined ? '' : REMEDIES[first.trouble](first.name, first);
}

const REMEDIES: Readonly<Record<Unaware['trouble'], (name: string, unaware: Unaware) => string>> = {
  refused: (name, { head }) =>
    head.endpointId === EXCHANGE
      ? 'Look at the queues that are bound to the exchange; the event is published again by itself.'
      : `Look into the log of ${name}; the event is sent again by itself.`,
  given_up: (name) => `Send it again once ${name} works.`,
  no_answer: (name) => `See why ${name} does not answer; the event is sent again by itself.`,
  down: (name) => `See why ${name} is down; what waits is sent once a probe succeeds.`,
  away: (name) => `See why ${name} cannot be reached; what waits is published once it can.`,
  not_sent: (name) => `Send it again to ${name}, once it is enabled.`,
  disabled: (name) => `Enable ${name}: what waits is then sent.`,
  unreadable: (name) => `Rotate the secret of ${name}, or give Paybell the key back that encrypted it.`,
  under_way: () => 'See whether a replica with the role dispatcher runs.',
};

function namesOf(
  deliveries: readonly SaidDelivery[],
  destinations: ReadonlyMap<string, string> | null,
): string[] {
  const ids = new Set(deliveries.map(({ endpointId }) => endpointId));
  return [...(destinations ?? [])].flatMap(([id, name]) => (ids.has(id) ? [name] : []));
}

function isExchangeAlone(deliveries: readonly SaidDelivery[]): boolean {
  return deliveries.some(({ endpointId }) => endpointId === EXCHANGE);
}

function ordinal(value: number): string {
  const words = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth'];
  return words[value] ?? `${value}th`;
}
