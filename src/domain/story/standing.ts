import { NOBODY } from '../event/told.ts';
import { CONTRADICTIONS_ON_CHAIN } from '../proof/verification.ts';
import { factsOf, isWithheld, type PaymentFacts } from './payment-facts.ts';
import { unawareOf, type SaidDelivery, type Trouble, type Unaware } from './untold-events.ts';

/** A payment as the API shows it. */
export interface SaidPayment {
  readonly status: string;
  readonly late: boolean;
  readonly tracking: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly quote?: unknown;
  readonly report?: unknown;
  readonly amounts?: {
    readonly send: { readonly asked: string | null; readonly came: string | null };
    readonly match: string;
  } | null;
  readonly stalls?: readonly string[];
  readonly verification?: SaidVerification | null;
  readonly resolution?: SaidResolution | null;
}

export interface SaidVerification {
  readonly state: string;
  readonly txHash?: string | null;
  readonly block?: number | null;
  readonly checks?: readonly { readonly name: string; readonly detail: string }[];
}

export interface SaidResolution {
  readonly reason: string;
  readonly note: string | null;
  readonly by: string;
  readonly at: string;
}

export interface SaidEvent {
  readonly type: string;
  readonly time: string;
  readonly data: {
    readonly reason?: string | undefined;
    readonly deposit?: { readonly wrongToken: boolean; readonly sum?: string | null } | undefined;
    readonly verification?: { readonly state: string } | undefined;
  };
}

export interface Story {
  readonly payment: SaidPayment;
  readonly events: readonly SaidEvent[];
  readonly deliveries: readonly SaidDelivery[];
  /** The names of the present destinations by their ids; null where the reader may not see them. */
  readonly destinations: ReadonlyMap<string, string> | null;
  readonly now: number;
  /** A time of day for the reader, in the zone that the reader's other times have. */
  readonly clock: (instant: string) => string;
}

/** The oddities of a payment that its reports show; those that need a person come first. */
const ODDITIES = [
  'changed_after_completed',
  'contradictory_output',
  'partly_refunded',
  'short_output',
  'other_token_received',
  'went_back',
  'other_address',
  'unknown_status',
] as const;

type Oddity = (typeof ODDITIES)[number];

/** Explanations of oddities: a refunded part is why the recipient got less; a later change says more than a contradiction. */
const SAYS_MORE: Partial<Readonly<Record<Oddity, Oddity>>> = {
  short_output: 'partly_refunded',
  contradictory_output: 'changed_after_completed',
};

/** The state of a payment: the facts that choose its sentences. */
export interface Standing {
  readonly status: string;
  /** The deposit, or its report, came after the quote had expired. */
  readonly isLate: boolean;
  /** `none`: no chain is asked. */
  readonly proof: string;
  /** The provider reports COMPLETED, and the payment waits for the proof of it. */
  readonly isHeld: boolean;
  /** The reason for the newest verdict of the chain; null without a contradiction. */
  readonly verdict: string | null;
  /** A deposit that the chain shows and the provider does not report. */
  readonly unseen: 'none' | 'asked_token' | 'other_token';
  readonly oddities: readonly Oddity[];
  readonly stall: 'none' | 'no_progress' | 'provider_silent';
  readonly match: string;
  readonly resolution: 'none' | 'settled' | 'released';
  readonly told: Told;
}

/**
 * The knowledge of the receivers. `hidden`: the reader may not see it; `unset`: there is no destination; `nobody`: none existed
 * when the event was recorded; `no_event`: no present one was sent an event; else the trouble of the first that lacks one.
 */
export type Told = 'hidden' | 'unset' | 'nobody' | 'no_event' | 'all' | Trouble;

/** A story with the facts that its sentences are made of. */
export interface Telling {
  readonly story: Story;
  readonly facts: PaymentFacts;
  readonly standing: Standing;
  /** The destinations that lack an event, the one first whose answer says most. */
  readonly unaware: readonly Unaware[];
}

export function tellingOf(story: Story): Telling {
  const { payment, events } = story;
  const unaware = unawareIn(story);
  const verification = payment.verification ?? null;
  const facts = factsOf({ quote: payment.quote, report: payment.report });
  const reason = (payment.resolution ?? null)?.reason;
  const proof = verification?.state ?? 'none';
  const isHeld = isWithheld({ status: payment.status, verification });
  const standing: Standing = {
    status: payment.status,
    isLate: payment.late && !hasOnlyFailed(events),
    proof,
    isHeld,
    verdict: proof === 'contradicted' ? (lastVerdict(events)?.data.reason ?? 'unknown') : null,
    unseen: unseenIn(story),
    oddities: odditiesIn(events),
    stall: stallOf(payment, isHeld),
    match: payment.amounts?.match ?? 'unknown',
    resolution: reason === undefined ? 'none' : reason === 'released' ? 'released' : 'settled',
    told: toldOf(story, unaware),
  };
  return { story, facts, standing, unaware };
}

/** The newest event by which a chain contradicts the provider. */
export function lastVerdict(events: readonly SaidEvent[]): SaidEvent | undefined {
  return events.findLast(({ data }) => CONTRADICTIONS_ON_CHAIN.some((reason) => reason === data.reason));
}

/** The last deposit that the provider has not reported. */
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

/** The provider went on with another deposit, and has not named this deposit. Attention counts the payment too. */
function isOtherTokenKept({ status }: SaidPayment, events: readonly SaidEvent[]): boolean {
  if (status === 'FAILED' || events.some(({ data }) => data.reason === 'other_token_received')) return false;
  return events.some(({ data }) => data.deposit?.wrongToken === true);
}

function odditiesIn(events: readonly SaidEvent[]): Oddity[] {
  const reasons = new Set(events.map(({ data }) => data.reason));
  return ODDITIES.filter((oddity) => reasons.has(oddity) && !reasons.has(SAYS_MORE[oddity] ?? '-'));
}

/** A payment that is no longer polled, or whose completion waits only for the chain, has no stall. */
function stallOf({ stalls = [], tracking }: SaidPayment, isHeld: boolean): Standing['stall'] {
  if (tracking === 'closed') return 'none';
  if (stalls.includes('provider_silent')) return 'provider_silent';
  return stalls.includes('no_progress') && !isHeld ? 'no_progress' : 'none';
}

/** The payment went on after a failure, and not after its expiry. */
function hasOnlyFailed(events: readonly SaidEvent[]): boolean {
  const types = new Set(events.map(({ type }) => type));
  return types.has('payment.failed') && !types.has('payment.expired');
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

function toldOf({ deliveries, destinations }: Story, [first]: readonly Unaware[]): Told {
  if (destinations === null) return 'hidden';
  if (destinations.size === 0) return 'unset';
  if (first !== undefined) return first.trouble;
  if (deliveries.some(({ endpointId }) => destinations.has(endpointId))) return 'all';
  return deliveries.some(({ endpointId }) => endpointId === NOBODY) ? 'nobody' : 'no_event';
}
