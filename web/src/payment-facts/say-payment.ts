import { counted, money } from '../format/amount.ts';
import { attemptWords } from '../format/failures.ts';
import { duration, until } from '../format/time.ts';
import { factsOf, type PaymentFacts } from './facts.ts';
import { groupBy } from '../format/group-by.ts';

export interface SaidPayment {
  readonly status: string;
  readonly late: boolean;
  readonly tracking: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly updatedAt: string;
  readonly quote?: unknown;
  readonly report?: unknown;
}

export interface SaidDelivery {
  readonly endpointId: string;
  readonly sequence: number;
  readonly state: string;
  readonly attemptCount: number;
  readonly nextAttemptAt: string | null;
  readonly lastFailure: string | null;
  readonly lastHttpStatus: number | null;
  readonly waitingFor: string | null;
}

export interface SaidEvent {
  readonly type: string;
  readonly time: string;
  readonly data: { readonly reason?: string };
}

export interface Story {
  readonly payment: SaidPayment;
  readonly events: readonly SaidEvent[];
  readonly deliveries: readonly SaidDelivery[];
  /** The names of the present endpoints by their ids; null where the reader may not see them. */
  readonly endpoints: ReadonlyMap<string, string> | null;
  readonly now: number;
}

/** The payment in one or two plain sentences: what happened to the money, and whether the shop knows. */
export function sayPayment(story: Story): string {
  return [moneySentence(story), troubleSentence(story), shopSentence(story)].filter(Boolean).join(' ');
}

function moneySentence({ payment, events, now }: Story): string {
  const facts = factsOf({ quote: payment.quote, report: payment.report });
  const asked = facts.amount === null ? 'the deposit' : money(facts.amount, facts.symbol);
  const where = facts.fromChain === null ? '' : ` on ${facts.fromChain.name}`;
  switch (payment.status) {
    case 'AWAITING_DEPOSIT':
      return `Waits for ${asked}${where}${deadline(payment, now)}.`;
    case 'DEPOSIT_RECEIVED':
      return `${paid(payment, facts, events)}; the provider has not begun the swap yet.`;
    case 'EXECUTING':
      return `${paid(payment, facts, events)}; the swap ${destination(facts)}is under way.`;
    case 'COMPLETED':
      return `${paid(payment, facts, events)} and completed${completedAfter(payment, facts)}.`;
    case 'FAILED':
      return `Failed${facts.error === null ? '' : `: ${facts.error}`}${facts.receivedAmount === null ? '.' : `. The deposit of ${money(facts.receivedAmount, facts.symbol)} is with the provider.`}`;
    case 'EXPIRED':
      return `Nobody paid ${asked}${quoteLife(payment)}${payment.tracking === 'watching' ? '; still watched for a late deposit' : ''}.`;
    default:
      return `The provider says ${payment.status}.`;
  }
}

function paid(payment: SaidPayment, facts: PaymentFacts, events: readonly SaidEvent[]): string {
  const amount = facts.receivedAmount ?? facts.amount;
  const what = amount === null ? '' : ` ${money(amount, facts.symbol)}`;
  const expiry = payment.expiresAt === null ? null : Date.parse(payment.expiresAt);
  const seen = events.find(({ type }) => type === 'payment.deposit_received');
  const at = facts.detectedAt ?? (seen === undefined ? null : Date.parse(seen.time));
  if (payment.late && expiry !== null && at !== null && at > expiry)
    return `Paid${what}, ${duration(at - expiry)} after the quote had expired,`;
  return payment.late ? `Paid${what} late` : `Paid${what}`;
}

function deadline({ expiresAt }: SaidPayment, now: number): string {
  if (expiresAt === null) return '';
  if (Date.parse(expiresAt) > now) return `; the quote expires ${until(expiresAt, now)}`;
  return "; the quote's time is over, and the provider has not said so yet";
}

function destination({ estimatedSymbol, toChain }: PaymentFacts): string {
  if (toChain === null) return '';
  return `${estimatedSymbol === null ? '' : `to ${estimatedSymbol} `}on ${toChain.name} `;
}

function completedAfter(payment: SaidPayment, { completedAt }: PaymentFacts): string {
  if (completedAt === null || payment.late) return '';
  return `, ${duration(completedAt - Date.parse(payment.createdAt))} after the quote`;
}

function quoteLife({ createdAt, expiresAt }: SaidPayment): string {
  return expiresAt === null ? '' : ` within ${duration(Date.parse(expiresAt) - Date.parse(createdAt))}`;
}

function troubleSentence({ payment, events, now }: Story): string {
  const last = events.findLast(({ type }) => type !== 'payment.updated');
  if (last?.type === 'payment.stalled' && payment.status !== 'COMPLETED')
    return last.data.reason === 'provider_silent'
      ? `The provider has said nothing usable about it for ${duration(now - Date.parse(payment.updatedAt))}.`
      : `Nothing has moved for ${duration(now - Date.parse(payment.updatedAt))}: ask the provider.`;
  return events.some(({ type }) => type === 'payment.anomaly')
    ? 'The provider contradicted itself; the stored status stands.'
    : '';
}

/** Which endpoints know; of those that do not, the first with its reason. */
function shopSentence({ deliveries, endpoints, now }: Story): string {
  if (endpoints === null) return '';
  if (deliveries.length === 0)
    return endpoints.size === 0 ? 'No webhook endpoint is set up, so no shop is informed.' : '';
  const groups = [...groupBy(deliveries, ({ endpointId }) => endpointId)].filter(([id]) => endpoints.has(id));
  const unaware = groups.filter(([, own]) =>
    own.some(({ state }) => state === 'pending' || state === 'failed'),
  );
  const [first] = unaware;
  if (first === undefined) return groups.length === 0 ? '' : acknowledged(deliveries, groups.length);
  const name = groups.length === 1 ? 'The shop' : (endpoints.get(first[0]) ?? 'An endpoint');
  const others = unaware.length - 1;
  return `${withoutAcknowledgement(name, first[1], now)}${others === 0 ? '' : ` Nor ${others === 1 ? 'does' : 'do'} ${counted(others, 'other endpoint')}.`}`;
}

function withoutAcknowledgement(name: string, deliveries: readonly SaidDelivery[], now: number): string {
  const failed = deliveries.filter(({ state }) => state === 'failed');
  if (failed.length > 0) return `${name} never acknowledged ${counted(failed.length, 'event')}: given up.`;
  const waiting = deliveries.filter(({ state }) => state === 'pending');
  const tried = waiting.find(({ attemptCount }) => attemptCount > 0);
  const next = waiting.find(({ nextAttemptAt }) => nextAttemptAt !== null)?.nextAttemptAt ?? null;
  const later = next === null ? '' : `; next try ${until(next, now)}`;
  if (tried !== undefined) {
    const tries = tried.attemptCount === 1 ? '' : ` at each of ${tried.attemptCount} tries`;
    return `${name} does not know yet: it ${attemptSaid(tried)}${tries}${later}.`;
  }
  const held = waiting.find(
    ({ waitingFor }) => waitingFor !== null && waitingFor !== 'earlier_event',
  )?.waitingFor;
  if (held === 'circuit') return `${name} does not know yet: it is down, and only probes go to it.`;
  if (held === 'disabled_endpoint') return `${name} does not know: it is disabled.`;
  return `${name} is being informed.`;
}

function attemptSaid({ lastFailure, lastHttpStatus }: SaidDelivery): string {
  return lastHttpStatus === null
    ? `gave no answer (${attemptWords(lastFailure, null)})`
    : attemptWords(lastFailure, lastHttpStatus);
}

function acknowledged(deliveries: readonly SaidDelivery[], endpoints: number): string {
  const most = Math.max(...deliveries.map(({ attemptCount }) => attemptCount));
  if (endpoints > 1) return `All ${endpoints} endpoints know.`;
  return most <= 1 ? 'The shop knows.' : `The shop knows: it acknowledged at the ${ordinal(most)} try.`;
}

function ordinal(value: number): string {
  const words = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth'];
  return words[value] ?? `${value}th`;
}
