import { counted } from '../format/amount.ts';
import { attemptWords } from '../format/failures.ts';
import { localTime, until } from '../format/time.ts';

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
  /** When it was recorded, and the endpoint's last answer; absent if its attempts were not read. */
  readonly createdAt?: string;
  readonly lastAnswer?: string | null;
}

/** Stands for a destination when there was none. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';

/** A destination that has not got some events of a payment. */
export interface Unaware {
  readonly name: string;
  /** The first missing event, which shows the reason. */
  readonly head: SaidDelivery;
  readonly behind: readonly SaidDelivery[];
  /**
   * The smallest comes first: an answer before silence, and an endpoint that takes other payments before an endpoint that is down.
   */
  readonly rank: number;
}

const MAX_ANSWER = 80;

/** Null for an endpoint that has acknowledged everything. */
export function unawareOf(name: string, deliveries: readonly SaidDelivery[]): Unaware | null {
  const missing = deliveries
    .filter(({ state }) => state !== 'delivered')
    .toSorted((one, other) => one.sequence - other.sequence);
  // A given-up delivery holds nothing back; a tried one is more informative than an untried one.
  const head =
    missing.find(({ state, attemptCount }) => state === 'pending' && attemptCount > 0) ?? missing[0];
  if (head === undefined) return null;
  return { name, head, behind: missing.filter((one) => one !== head), rank: rankOf(head, missing) };
}

function rankOf(head: SaidDelivery, missing: readonly SaidDelivery[]): number {
  const isDown = missing.some(({ waitingFor }) => waitingFor === 'circuit' || waitingFor === 'broker');
  if (head.state === 'discarded') return 4;
  if (head.lastHttpStatus !== null) return isDown ? 1 : 0;
  if (head.attemptCount > 0) return isDown ? 3 : 2;
  return isDown || head.waitingFor === 'disabled_endpoint' ? 4 : 5;
}

/** `shop EU refused payment.created 11 times since 10:00:01: 500, “out of stock”. payment.completed and 2 more wait behind it.` */
export function inFull({ name, head, behind }: Unaware, now: number): string {
  return [`${name} ${whyOf(head, now)}.`, waitingBehind(behind)].filter(Boolean).join(' ');
}

/** The same without the events, for destinations after the first. */
export function shortly({ name, head }: Unaware): string {
  if (head.state === 'discarded') return `${name} was disabled then.`;
  if (head.lastHttpStatus !== null) return `${name} answers ${head.lastHttpStatus} too.`;
  if (head.lastFailure === 'nack') return `${name} refuses it too (nack).`;
  if (head.lastFailure === 'broker_refused') return `${name} refuses it too.`;
  if (head.waitingFor === 'broker') return `${name} cannot be reached.`;
  if (head.waitingFor === 'circuit') return `${name} is down too.`;
  if (head.waitingFor === 'disabled_endpoint') return `${name} is disabled.`;
  if (head.attemptCount > 0) return `${name} gives no answer (${attemptWords(head.lastFailure, null)}).`;
  return `${name} is being informed.`;
}

function whyOf(head: SaidDelivery, now: number): string {
  const { type, state, attemptCount, waitingFor } = head;
  if (state === 'discarded') return `was not sent ${type}: it was disabled then`;
  if (attemptCount > 0) {
    const end = state === 'failed' ? '; given up' : laterWords(head, now);
    return `${triedWords(head, now)}${end}`;
  }
  if (waitingFor === 'broker') return `was not sent ${type} yet: it cannot be reached`;
  if (waitingFor === 'circuit') return `was not sent ${type} yet: it is down, and only probes go to it`;
  if (waitingFor === 'disabled_endpoint') return `was not sent ${type}: it is disabled`;
  if (waitingFor === 'secret_unreadable') return `was not sent ${type}: its secret cannot be decrypted`;
  return 'is being informed';
}

function triedWords(
  { type, attemptCount, lastFailure, lastHttpStatus, createdAt, lastAnswer }: SaidDelivery,
  now: number,
): string {
  const times = attemptCount === 1 ? '' : ` ${attemptCount} times`;
  const since = createdAt === undefined || attemptCount === 1 ? '' : ` since ${localTime(createdAt, now)}`;
  const answer =
    lastAnswer === undefined || lastAnswer === null ? '' : lastAnswer.replaceAll(/\s+/g, ' ').trim();
  const text =
    answer === '' ? '' : `, “${answer.slice(0, MAX_ANSWER)}${answer.length > MAX_ANSWER ? '…' : ''}”`;
  if (lastHttpStatus === null)
    return `did not take ${type}${since}: ${attemptWords(lastFailure, null)}${text}${times === '' ? '' : `,${times}`}`;
  return `refused ${type}${times}${since}: ${lastHttpStatus}${text}`;
}

function laterWords({ waitingFor, nextAttemptAt }: SaidDelivery, now: number): string {
  if (waitingFor === 'broker') return '; now it cannot be reached';
  if (waitingFor === 'circuit') return '; it is down, and only probes go to it';
  if (waitingFor === 'disabled_endpoint') return '; it is disabled';
  return nextAttemptAt === null ? '' : `; next try ${until(nextAttemptAt, now)}`;
}

/** The payment's last status is what the shop misses most. */
function waitingBehind(behind: readonly SaidDelivery[]): string {
  const waiting = behind.filter(({ state }) => state === 'pending');
  const named = waiting.find(({ type }) => ENDS.has(type)) ?? waiting.at(-1);
  if (named === undefined) return '';
  if (waiting.length === 1) return `${named.type} waits behind it.`;
  return `${named.type} and ${counted(waiting.length - 1, 'more', 'more')} wait behind it.`;
}

const ENDS = new Set(['payment.completed', 'payment.failed', 'payment.expired']);
