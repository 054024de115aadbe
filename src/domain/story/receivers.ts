import { lastVerdict, type Telling } from './standing.ts';
import { inFull, shortly, type SaidDelivery, type Unaware } from './untold-events.ts';
import { UNTOLD_AFTER_MS } from '../event/told.ts';
import { counted } from './words.ts';

/** The id of RabbitMQ's exchange among destinations. */
const EXCHANGE = 'rabbitmq';
/** The most destinations that are named in addition to the first one. */
const MAX_NAMED = 2;

export const NOT_SET_UP = 'Nobody is told: no endpoint is set up, and RabbitMQ is off.';
export const NOBODY_THEN = 'Nobody was told: there was no receiver then.';

/** Every destination that gets the payment's events has acknowledged all of them. */
export function receiversKnow({ story }: Telling): string {
  const [name, ...others] = namesOf(story.deliveries, story.destinations);
  if (name === undefined) return '';
  if (others.length > 0) return `All ${others.length + 1} destinations know.`;
  if (isExchangeAlone(story.deliveries)) return `${name} has all of its events.`;
  const most = Math.max(...story.deliveries.map(({ attemptCount }) => attemptCount));
  return most <= 1 ? 'The shop knows.' : `The shop knows: it acknowledged at the ${ordinal(most)} try.`;
}

/** Names the destination whose answer says most first. */
export function receiversLack({ unaware, story: { now, clock } }: Telling): string {
  const [first, ...others] = unaware;
  if (first === undefined) return '';
  const also = others.slice(0, MAX_NAMED).map((one) => shortly(one));
  const more = others.length - also.length;
  if (more > 0)
    also.push(`${counted(more, 'other destination')} ${more === 1 ? 'does' : 'do'} not know either.`);
  return [inFull(first, now, clock), ...also].join(' ');
}

/** The completion is held back, and each destination that gets the event about this has acknowledged it. */
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

/** Advice for a person who may mend the destination; empty while the destination may still acknowledge by itself. */
export function helpsReceiver({ unaware: [first], story: { now } }: Telling): string {
  if (first === undefined) return '';
  const { head, name } = first;
  const isYoung = head.createdAt !== undefined && now - Date.parse(head.createdAt) < UNTOLD_AFTER_MS;
  return isYoung && head.state === 'pending' ? '' : REMEDIES[first.trouble](name, first);
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
  under_way: () => '',
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
