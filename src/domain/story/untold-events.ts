import { attemptWords } from './failure-words.ts';
import { counted, until } from './words.ts';

export interface SaidDelivery {
  readonly endpointId: string;
  readonly type: string;
  readonly sequence: number;
  readonly state: string;
  readonly attemptCount: number;
  readonly nextAttemptAt: string | null;
  readonly lastFailure: string | null;
  readonly lastHttpStatus: number | null;
  readonly waitingFor: string | null;
  /** When the event was recorded, and what the endpoint answered last; absent where the attempts were not read. */
  readonly createdAt?: string;
  readonly lastAnswer?: string | null;
}

/** Why a destination lacks an event, those first whose answer says most. */
const TROUBLES = [
  'refused',
  'given_up',
  'no_answer',
  'down',
  'away',
  'not_sent',
  'disabled',
  'unreadable',
  'under_way',
] as const;

export type Trouble = (typeof TROUBLES)[number];

/** A destination that lacks events of a payment. */
export interface Unaware {
  readonly name: string;
  /** The missing event that says most: the end of the payment once it was tried, else the first event that was tried. */
  readonly head: SaidDelivery;
  readonly others: readonly SaidDelivery[];
  readonly trouble: Trouble;
  /**
   * Destinations with a lower rank come first: an answer before silence, and an endpoint that takes other payments before an
   * endpoint that is down.
   */
  readonly rank: number;
}

const ENDS = new Set(['payment.completed', 'payment.failed', 'payment.expired']);
const MAX_ANSWER = 80;

/** Null for a destination that has acknowledged all. */
export function unawareOf(name: string, deliveries: readonly SaidDelivery[]): Unaware | null {
  const missing = deliveries
    .filter(({ state }) => state !== 'delivered')
    .toSorted((one, other) => one.sequence - other.sequence);
  const tried = missing.filter(({ state, attemptCount }) => state === 'pending' && attemptCount > 0);
  // A delivery that was given up holds nothing back.
  const head = tried.find(({ type }) => ENDS.has(type)) ?? tried[0] ?? missing[0];
  if (head === undefined) return null;
  const others = missing.filter((one) => one !== head);
  const isDown = missing.some(({ waitingFor }) => waitingFor === 'circuit' || waitingFor === 'broker');
  const trouble = troubleOf(head);
  return { name, head, others, trouble, rank: TROUBLES.indexOf(trouble) * 2 + (isDown ? 1 : 0) };
}

const WAITS: Readonly<Record<string, Trouble>> = {
  circuit: 'down',
  broker: 'away',
  disabled_endpoint: 'disabled',
  secret_unreadable: 'unreadable',
};

/** Failures with which a broker answers. */
const BROKERS_ANSWERS = new Set(['nack', 'broker_refused', 'unroutable']);

function troubleOf({ state, attemptCount, lastFailure, lastHttpStatus, waitingFor }: SaidDelivery): Trouble {
  if (state === 'discarded') return 'not_sent';
  if (state === 'failed') return 'given_up';
  if (attemptCount === 0) return WAITS[waitingFor ?? ''] ?? 'under_way';
  const isAnswered = lastHttpStatus !== null || BROKERS_ANSWERS.has(lastFailure ?? '');
  return isAnswered ? 'refused' : 'no_answer';
}

/**
 * `shop EU refused payment.completed 7 times since 10:00:01: 500, “out of stock”, and 3 earlier ones; next try in 5 min.
 * payment.updated waits behind it.`
 */
export function inFull(unaware: Unaware, now: number, clock: (instant: string) => string): string {
  return [`${unaware.name} ${whyOf(unaware, now, clock)}.`, waitingBehind(unaware)].filter(Boolean).join(' ');
}

/** The same without the events, for the destinations after the first one. */
export function shortly({ name, head, trouble }: Unaware): string {
  if (trouble === 'not_sent') return `${name} was disabled then.`;
  if (trouble === 'given_up') return `${name} does not know either (given up).`;
  if (trouble === 'refused')
    return head.lastHttpStatus === null
      ? `${name} refuses it too (${head.lastFailure}).`
      : `${name} answers ${head.lastHttpStatus} too.`;
  if (head.waitingFor === 'broker') return `${name} cannot be reached.`;
  if (head.waitingFor === 'circuit') return `${name} is down too.`;
  if (head.waitingFor === 'disabled_endpoint') return `${name} is disabled.`;
  if (trouble === 'no_answer') return `${name} gives no answer (${attemptWords(head.lastFailure, null)}).`;
  if (trouble === 'unreadable') return `The secret of ${name} cannot be decrypted.`;
  return `${name} is being informed.`;
}

function whyOf({ head, others, trouble }: Unaware, now: number, clock: (instant: string) => string): string {
  const { type, attemptCount, state, waitingFor } = head;
  if (trouble === 'not_sent') return `was not sent ${all(head, others, 'discarded')}: it was disabled then`;
  if (attemptCount > 0) {
    const end = state === 'failed' ? '; given up' : laterWords(head, now);
    return `${triedWords(head, clock)}${otherTried(head, others)}${end}`;
  }
  if (state === 'failed') return `was not sent ${type}: given up`;
  if (waitingFor === 'broker') return `was not sent ${type} yet: it cannot be reached`;
  if (waitingFor === 'circuit') return `was not sent ${type} yet: it is down, and only probes go to it`;
  if (waitingFor === 'disabled_endpoint') return `was not sent ${type}: it is disabled`;
  if (waitingFor === 'secret_unreadable') return `was not sent ${type}: its secret cannot be decrypted`;
  return 'is being informed';
}

/** `payment.created and 3 more` */
function all({ type }: SaidDelivery, others: readonly SaidDelivery[], ofState: string): string {
  const alike = others.filter(({ state }) => state === ofState).length;
  return alike === 0 ? type : `${type} and ${alike} more`;
}

/** `, and 3 earlier ones`: the earlier events that the destination lacks too. */
function otherTried({ sequence }: SaidDelivery, others: readonly SaidDelivery[]): string {
  const tried = others.filter(({ state, attemptCount }) => state === 'pending' && attemptCount > 0);
  if (tried.length === 0) return '';
  if (tried.some((one) => one.sequence > sequence)) return `, and ${counted(tried.length, 'other')}`;
  return `, and ${counted(tried.length, 'earlier one')}`;
}

function triedWords(
  { type, attemptCount, lastFailure, lastHttpStatus, createdAt, lastAnswer }: SaidDelivery,
  clock: (instant: string) => string,
): string {
  const times = attemptCount === 1 ? '' : ` ${attemptCount} times`;
  const since = createdAt === undefined || attemptCount === 1 ? '' : ` since ${clock(createdAt)}`;
  const answer = (lastAnswer ?? '').replaceAll(/\s+/g, ' ').trim();
  const text =
    answer === '' ? '' : `, “${answer.slice(0, MAX_ANSWER)}${answer.length > MAX_ANSWER ? '…' : ''}”`;
  if (lastHttpStatus === null)
    return `has not taken ${type}${since}: ${attemptWords(lastFailure, null)}${text}${times === '' ? '' : `,${times}`}`;
  return `refused ${type}${times}${since}: ${lastHttpStatus}${text}`;
}

function laterWords({ waitingFor, nextAttemptAt }: SaidDelivery, now: number): string {
  if (waitingFor === 'broker') return '; now it cannot be reached';
  if (waitingFor === 'circuit') return '; it is down, and only probes go to it';
  if (waitingFor === 'disabled_endpoint') return '; it is disabled';
  return nextAttemptAt === null ? '' : `; next try ${until(nextAttemptAt, now)}`;
}

/** Only events that wait for an earlier one are behind; the end of the payment is named before all others. */
function waitingBehind({ others }: Unaware): string {
  const waiting = others.filter(({ waitingFor }) => waitingFor === 'earlier_event');
  const named = waiting.find(({ type }) => ENDS.has(type)) ?? waiting.at(-1);
  if (named === undefined) return '';
  if (waiting.length === 1) return `${named.type} waits behind it.`;
  return `${named.type} and ${counted(waiting.length - 1, 'more', 'more')} wait behind it.`;
}
