import type { Payment } from '../api/types.ts';
import { money } from '../format/amount.ts';
import { duration, until } from '../format/time.ts';
import { factsOf, type PaymentFacts } from './facts.ts';
import { shopSentence } from './say-shop.ts';
import type { SaidDelivery } from './say-untold.ts';

/** The beginning of the error of a payment whose deposit went back. */
const REFUNDED = 'REFUNDED: ';

type Amounts = Pick<NonNullable<Payment['amounts']>, 'send' | 'match'>;

export interface SaidPayment {
  readonly status: string;
  readonly late: boolean;
  readonly tracking: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly quote?: unknown;
  readonly report?: unknown;
  readonly amounts?: Amounts | null;
  readonly verification?: { readonly state: string } | null;
}

export interface SaidEvent {
  readonly type: string;
  readonly time: string;
  readonly data: {
    readonly reason?: string;
    readonly deposit?: { readonly wrongToken: boolean };
    readonly verification?: { readonly state: string };
  };
}

export interface Story {
  readonly payment: SaidPayment;
  readonly events: readonly SaidEvent[];
  readonly deliveries: readonly SaidDelivery[];
  /** The names of present destinations by id; null if the reader may not see them. */
  readonly destinations: ReadonlyMap<string, string> | null;
  readonly now: number;
}

/** Describes the payment in one or two plain sentences: where the money is, and whether the shop knows. */
export function sayPayment(story: Story): string {
  return [moneySentence, chainSentence, troubleSentence, shopSentence]
    .map((say) => say(story))
    .filter(Boolean)
    .join(' ');
}

function moneySentence({ payment, events, now }: Story): string {
  const facts = factsOf({ quote: payment.quote, report: payment.report });
  const asked = facts.amount === null ? 'the deposit' : money(facts.amount, facts.symbol);
  const where = facts.fromChain === null ? '' : ` on ${facts.fromChain.name}`;
  switch (payment.status) {
    case 'AWAITING_DEPOSIT':
      return `Waits for ${asked}${where}${memo(facts)}${deadline(payment, now)}.`;
    case 'DEPOSIT_RECEIVED':
      return `${paid(payment, facts, events)}; ${facts.isHeld ? 'the provider holds it for a review' : 'the provider has not begun the swap yet'}.`;
    case 'EXECUTING':
      return `${paid(payment, facts, events)}; ${swap(payment, facts)}.`;
    case 'COMPLETED':
      return `${paid(payment, facts, events)} and completed${completedAfter(payment, facts, events)}.`;
    case 'FAILED':
      return failure(facts);
    case 'EXPIRED':
      return `No deposit of ${asked} was seen${quoteLife(payment)}${payment.tracking === 'watching' ? '; still watched for a late deposit' : ''}.`;
    default:
      return `The provider says ${payment.status}.`;
  }
}

function paid(payment: SaidPayment, facts: PaymentFacts, events: readonly SaidEvent[]): string {
  const what = sumOf(payment.amounts ?? null, facts);
  const expiry = payment.expiresAt === null ? null : Date.parse(payment.expiresAt);
  const seen = events.find(({ type }) => type === 'payment.deposit_received');
  const at = facts.detectedAt ?? (seen === undefined ? null : Date.parse(seen.time));
  if (payment.late && expiry !== null && at !== null && at > expiry)
    return `Paid${what}, ${duration(at - expiry)} after the quote had expired,`;
  return payment.late ? `Paid${what} late` : `Paid${what}`;
}

function failure({ error }: PaymentFacts): string {
  if (error === null) return 'Failed.';
  const reason = error.replace(/\.$/, '');
  return reason.startsWith(REFUNDED) ? `Refunded: ${reason.slice(REFUNDED.length)}.` : `Failed: ${reason}.`;
}

function memo({ depositMemo }: PaymentFacts): string {
  return depositMemo === null ? '' : ` with the memo ${depositMemo}`;
}

/** ` 1 USDC instead of 25.42 USDC` */
function sumOf(amounts: Amounts | null, { amount, symbol }: PaymentFacts): string {
  const came = amounts?.send.came ?? amount;
  if (came === null) return '';
  const isOther = amounts?.match === 'underpaid' || amounts?.match === 'overpaid';
  const asked = isOther ? (amounts.send.asked ?? amount) : null;
  return ` ${money(came, symbol)}${asked === null ? '' : ` instead of ${money(asked, symbol)}`}`;
}

function deadline({ expiresAt }: SaidPayment, now: number): string {
  if (expiresAt === null) return '';
  if (Date.parse(expiresAt) > now) return `; the quote expires ${until(expiresAt, now)}`;
  return "; the quote's time is over, and the provider has not said so yet";
}

/** The provider has done its part if the completion waits for a proof. */
function swap({ verification }: SaidPayment, facts: PaymentFacts): string {
  if (verification === undefined || verification === null)
    return `the swap ${destination(facts)}is under way`;
  const { estimatedSymbol, toChain } = facts;
  const what = estimatedSymbol === null ? '' : ` of ${estimatedSymbol}`;
  return `the provider reports the delivery${what}${toChain === null ? '' : ` on ${toChain.name}`}`;
}

function destination({ estimatedSymbol, toChain }: PaymentFacts): string {
  if (toChain === null) return '';
  return `${estimatedSymbol === null ? '' : `to ${estimatedSymbol} `}on ${toChain.name} `;
}

/** A proof completes a payment later than the provider's report. */
function completedAfter(
  payment: SaidPayment,
  { completedAt }: PaymentFacts,
  events: readonly SaidEvent[],
): string {
  const proven = events.find(isProvenCompletion);
  const at = proven === undefined ? completedAt : Date.parse(proven.time);
  if (at === null || payment.late) return '';
  return `, ${duration(at - Date.parse(payment.createdAt))} after the quote`;
}

function isProvenCompletion({ type, data }: SaidEvent): boolean {
  return type === 'payment.completed' && data.verification?.state === 'proven';
}

function quoteLife({ createdAt, expiresAt }: SaidPayment): string {
  return expiresAt === null ? '' : ` within ${duration(Date.parse(expiresAt) - Date.parse(createdAt))}`;
}

const BY_CHAIN = /^(?:output_|(?:other_recipient|other_token|amount_short|deposit_unseen_by_provider)$)/;

function chainSentence({ payment: { status, verification } }: Story): string {
  const state = verification?.state;
  if (state === 'contradicted') return 'The chain shows otherwise: hand nothing out before you know more.';
  if (status === 'COMPLETED' || state === undefined || state === 'proven') return '';
  const waits = 'waits for its proof on chain.';
  return status === 'EXECUTING' ? `It ${waits}` : `The provider reports the completion; it ${waits}`;
}

function troubleSentence({ payment, events, now }: Story): string {
  const last = events.findLast(({ type }) => type !== 'payment.updated');
  if (last?.data.deposit?.wrongToken === true) return MONEY['other_token_received'] ?? '';
  if (last?.data.reason === 'deposit_unseen_by_provider')
    return 'A deposit is on chain, and the provider does not report it: show it the transaction.';
  if (last?.data.reason === 'unverified' && payment.verification?.state === 'contradicted') return '';
  if (last?.data.reason === 'unverified')
    return 'No chain has proven it in time: look at what the RPCs answer.';
  if (last?.type === 'payment.stalled' && payment.status !== 'COMPLETED') {
    if (last.data.reason === 'provider_silent') return 'The provider says nothing usable about it any more.';
    const moved = events[events.indexOf(last) - 1]?.time ?? payment.createdAt;
    return `Nothing has moved for ${duration(now - Date.parse(moved))}: ask the provider.`;
  }
  const reasons = events.flatMap(({ type, data }) =>
    type === 'payment.anomaly' && !BY_CHAIN.test(data.reason ?? '') ? [data.reason ?? ''] : [],
  );
  const odd = reasons.map((reason) => MONEY[reason]).find((sentence) => sentence !== undefined);
  if (odd !== undefined) return odd;
  const isContradicted = reasons.some((reason) => !SUMS.has(reason));
  return isContradicted ? 'The provider contradicted itself; the stored status stands.' : '';
}

/** The first sentence already has the sum. */
const SUMS: ReadonlySet<string> = new Set(['underpaid', 'overpaid']);
/** Anomalies that concern the money or the deposit. */
const MONEY: Readonly<Record<string, string>> = {
  other_token_received: 'The payer sent another token than the quote asks for.',
  partly_refunded: 'A part of the deposit went back to the payer.',
  short_output: 'The recipient got less than the quote promised.',
  changed_after_completed: 'The provider took the completion back, or changed it: ask where the money is.',
  unknown_status: 'A report had a status that Paybell does not know; the stored status stood.',
  other_address: 'A report named another deposit address, and was not taken over.',
};
