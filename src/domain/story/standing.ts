import { CONTRADICTIONS_ON_CHAIN } from '../proof/verification.ts';
import { factsOf, isWithheld, type PaymentFacts } from './payment-facts.ts';
import type { SaidEvent, SaidPayment, Story } from './story.ts';
import { type Told, toldOf } from './told-standing.ts';
import type { SaidDelivery, Unaware } from './untold-events.ts';

/** The oddities of a payment that its events show; those that need a person come first. */
const ODDITIES = [
  'changed_after_completed',
  'contradictory_output',
  'went_back',
  'other_address',
  'unknown_status',
  'partly_refunded',
  'short_output',
  'other_token_received',
  'underpaid',
  'overpaid',
] as const;

type Oddity = (typeof ODDITIES)[number];

/** Explanations of oddities: a refunded part is why the recipient got less; a later change says more than a contradiction. */
const SAYS_MORE: Partial<Readonly<Record<Oddity, Oddity>>> = {
  short_output: 'partly_refunded',
  contradictory_output: 'changed_after_completed',
};

/** How a payment stands: the facts by which its sentences are chosen. */
export interface Standing {
  readonly status: string;
  /** The payment went on after the expiry of its quote, or after a failure. */
  readonly late: 'no' | 'after_expiry' | 'after_failure';
  /** `none`: no chain is asked. */
  readonly proof: string;
  /** The provider reports COMPLETED, and the payment waits for the proof of it. */
  readonly isHeld: boolean;
  /** No proof came in time, although one was possible. */
  readonly isUnproven: boolean;
  /** The reason for the newest verdict of the chain; null without a contradiction. */
  readonly verdict: string | null;
  /** A deposit that the chain shows and the provider does not report. */
  readonly unseen: 'none' | 'asked_token' | 'other_token';
  readonly oddities: readonly Oddity[];
  readonly stall: 'none' | 'no_progress' | 'provider_silent';
  readonly match: string;
  /** The quote expired although its provider reports a deposit. */
  readonly isDepositKept: boolean;
  readonly isPaidTwice: boolean;
  readonly resolution: 'none' | 'settled' | 'released';
  readonly told: Told;
  /** An event has waited longer than destinations may take. */
  readonly isUntold: boolean;
}

/** A story with the facts that its sentences are made of. */
export interface Telling {
  readonly story: Story;
  readonly facts: PaymentFacts;
  readonly standing: Standing;
  /** The destinations that lack an event, the one first whose answer says most. */
  readonly unaware: readonly Unaware[];
  /** The events that had no receiver, or whose receiver is deleted, and that none has acknowledged since. */
  readonly unreceived: readonly SaidDelivery[];
}

export function tellingOf(story: Story): Telling {
  const { payment, events } = story;
  const { told, isUntold, unaware, unreceived } = toldOf(story);
  const verification = payment.verification ?? null;
  const facts = factsOf({ quote: payment.quote, report: payment.report });
  const reason = (payment.resolution ?? null)?.reason;
  const proof = verification?.state ?? 'none';
  const isHeld = isWithheld({ status: payment.status, verification });
  const standing: Standing = {
    status: payment.status,
    late: lateIn(story),
    proof,
    isHeld,
    isUnproven: isUnproven(story, isHeld),
    verdict: proof === 'contradicted' ? (lastVerdict(events)?.data.reason ?? 'unknown') : null,
    unseen: unseenIn(story),
    oddities: odditiesIn(events),
    stall: stallOf(payment),
    match: payment.amounts?.match ?? 'unknown',
    isDepositKept: payment.status === 'EXPIRED' && (payment.amounts ?? null) !== null,
    isPaidTwice: story.alsoPaidBy.length > 0,
    resolution: reason === undefined ? 'none' : reason === 'released' ? 'released' : 'settled',
    told,
    isUntold,
  };
  return { story, facts, standing, unaware, unreceived };
}

/** The newest event by which a chain contradicts the provider. */
export function lastVerdict(events: readonly SaidEvent[]): SaidEvent | undefined {
  return events.findLast(({ data }) => CONTRADICTIONS_ON_CHAIN.some((reason) => reason === data.reason));
}

/** Until the provider reports a deposit. */
export function lastUnseen(events: readonly SaidEvent[]): SaidEvent | undefined {
  const unseen = events.filter(({ data }) => data.reason === 'deposit_unseen_by_provider');
  return unseen.findLast(({ data }) => data.deposit?.wrongToken !== true) ?? unseen.at(-1);
}

const UNPAID: ReadonlySet<string> = new Set(['AWAITING_DEPOSIT', 'EXPIRED']);

function unseenIn({ payment, events }: Story): Standing['unseen'] {
  const isReported = !UNPAID.has(payment.status) || (payment.amounts ?? null) !== null;
  if (isReported) return isOtherTokenKept(payment, events) ? 'other_token' : 'none';
  const unseen = lastUnseen(events);
  return unseen === undefined ? 'none' : unseen.data.deposit?.wrongToken ? 'other_token' : 'asked_token';
}

/** The provider went on with another deposit, and has not named this one. */
function isOtherTokenKept({ status }: SaidPayment, events: readonly SaidEvent[]): boolean {
  if (status === 'FAILED' || events.some(({ data }) => data.reason === 'other_token_received')) return false;
  return events.some(({ data }) => data.deposit?.wrongToken === true);
}

function odditiesIn(events: readonly SaidEvent[]): Oddity[] {
  const reasons = new Set(events.map(({ data }) => data.reason));
  return ODDITIES.filter((oddity) => reasons.has(oddity) && !reasons.has(SAYS_MORE[oddity] ?? '-'));
}

/** Nothing stands still in a payment that is no longer polled. */
function stallOf({ stalls = [], tracking }: SaidPayment): Standing['stall'] {
  if (tracking === 'closed') return 'none';
  if (stalls.includes('provider_silent')) return 'provider_silent';
  return stalls.includes('no_progress') ? 'no_progress' : 'none';
}

function lateIn({ payment, events }: Story): Standing['late'] {
  if (!payment.late) return 'no';
  const types = new Set(events.map(({ type }) => type));
  return types.has('payment.failed') && !types.has('payment.expired') ? 'after_failure' : 'after_expiry';
}

const DAY_MS = 86_400_000;

/**
 * A withheld completion for as long as it is polled; any other one for a day. A witness that was asked has left its checks: a chain
 * without an RPC proves nothing.
 */
function isUnproven({ payment, events, now }: Story, isHeld: boolean): boolean {
  const { stalls = [], tracking, verification } = payment;
  const { state = 'none', checks = [] } = verification ?? {};
  if (isHeld && tracking !== 'closed')
    return stalls.includes('unverified') && ['pending', 'unverified'].includes(state);
  const began = events.find(({ data }) => data.verification !== undefined)?.time;
  const isOfLastDay = began !== undefined && now - Date.parse(began) < DAY_MS;
  return state === 'unverified' && checks.length > 0 && isOfLastDay;
}
