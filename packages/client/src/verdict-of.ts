import { isPaymentEvent, type PaybellEvent, type PaymentEvent } from './events.ts';
import { VERDICTS, type Verdict, type VerdictReason } from './verdicts.ts';

/** Facts that only the shop knows. */
export interface VerdictOptions {
  /** The order of the payment, for a shop that finds it by the quote id; by default `data.orderId`. */
  readonly orderId?: string | null;
  /** The shop's own refund addresses: without them the verdict on a refund is `ask`. */
  readonly refundTo?: readonly string[];
}

/** The fields on which the verdict depends; an older Paybell does not send all of them. */
interface Told {
  readonly amounts?: {
    readonly match?: unknown;
    readonly send?: { readonly came?: unknown };
    readonly receive?: { readonly promised?: unknown; readonly arrived?: unknown };
  };
  readonly order?: { readonly completed?: readonly unknown[] };
  readonly named?: unknown;
  readonly previousOrderId?: unknown;
  readonly reason?: unknown;
  readonly resolution?: unknown;
  readonly verification?: { readonly state?: unknown };
  readonly payment: {
    readonly anomalies?: unknown;
    readonly deposit?: {
      readonly amount?: unknown;
      readonly amountRaw?: unknown;
      readonly token?: unknown;
    } | null;
    readonly error?: unknown;
    readonly execution?: { readonly refund?: { readonly refundedTo?: unknown } | null } | null;
  } | null;
}

/** In a report that says COMPLETED, these anomalies mean that the recipient may lack a part. */
const ODD_ENDS = ['other_token_received', 'partly_refunded', 'short_output', 'contradictory_output'] as const;
/** Anomalies of these reasons change no status, and the next report may correct them. */
const PASSING: ReadonlySet<unknown> = new Set(['went_back', 'unknown_status']);
const BY_CHAIN: ReadonlySet<unknown> = new Set([
  'output_missing',
  'output_reverted',
  'other_recipient',
  'other_token',
  'amount_short',
  'output_used_before',
  'output_reorged',
  'double_spent',
]);
const DECIMAL = /^(\d{1,78})(?:\.(\d{1,255}))?$/;
const FRACTION_DIGITS = 255;

/** Says what an event means for its order, without a look at the order: the shop knows whether the order still stands. */
export function verdictOf(event: PaybellEvent, options: VerdictOptions = {}): Verdict {
  const reason = isPaymentEvent(event) ? reasonOf(event, options) : 'no_payment';
  return { verdict: VERDICTS[reason], reason };
}

function reasonOf(event: PaymentEvent, options: VerdictOptions): VerdictReason {
  switch (event.type) {
    case 'payment.created':
      return 'awaiting_deposit';
    case 'payment.deposit_received':
      return event.data.late ? 'late_deposit' : 'deposit_received';
    case 'payment.executing':
      return event.data.late ? 'late_deposit' : 'executing';
    case 'payment.completed':
      return reasonOfCompletion(event, options);
    case 'payment.failed':
      return reasonOfFailure(event, options);
    case 'payment.expired':
      return 'expired';
    case 'payment.updated':
      return reasonOfUpdate(event, options);
    case 'payment.stalled':
      return 'stalled';
    case 'payment.anomaly':
      return reasonOfAnomaly(event);
    case 'payment.verified':
      return 'verified';
    default:
      return 'unknown_type';
  }
}

/** Only the completion's own fields decide: a shop need not remember an anomaly that came before it. */
function reasonOfCompletion(
  event: PaymentEvent,
  { orderId = event.data.orderId }: VerdictOptions,
): VerdictReason {
  const { amounts, order, resolution, verification } = toldBy(event);
  if ((orderId ?? null) === null) return 'no_order';
  if ((order?.completed ?? []).length > 0) return 'order_paid_twice';
  // A person has released the payment, and knows better than the chain.
  if (verification?.state === 'contradicted' && resolution === undefined) return 'contradicted_by_chain';
  if (amounts?.match === 'underpaid') return 'underpaid';
  const odd = oddEndOf(event);
  if (odd !== undefined) return odd;
  if (amounts?.match === 'overpaid') return 'paid_in_excess';
  if (event.data.late) return 'paid_late';
  return amounts?.match === 'exact' ? 'paid' : 'paid_unknown_sum';
}

/** The provider names a deposit with its token, but counts none of it: the deposit is in another token or on another chain. */
function isOtherDeposit(event: PaymentEvent): boolean {
  const { amounts, payment } = toldBy(event);
  const { amount, amountRaw, token } = payment?.deposit ?? {};
  const isNamed = (amount ?? amountRaw ?? null) !== null && token !== null;
  return isNamed && amounts?.match === 'unknown' && amounts.send?.came === null;
}

function oddEndOf(event: PaymentEvent): (typeof ODD_ENDS)[number] | undefined {
  const { amounts, payment } = toldBy(event);
  const named: readonly unknown[] = Array.isArray(payment?.anomalies) ? payment.anomalies : [];
  if (isOtherDeposit(event)) return 'other_token_received';
  const isShort = isLess(amounts?.receive?.arrived, amounts?.receive?.promised);
  return ODD_ENDS.find((end) => named.includes(end)) ?? (isShort ? 'short_output' : undefined);
}

function reasonOfFailure(event: PaymentEvent, { refundTo }: VerdictOptions): VerdictReason {
  const { amounts, payment } = toldBy(event);
  const error = typeof payment?.error === 'string' ? payment.error : '';
  if (error.startsWith('UNDERPAID')) return 'underpaid_failed';
  if (!error.startsWith('REFUNDED')) return 'failed';
  const isPart = error.includes('part was delivered') || (unitsOf(amounts?.receive?.arrived) ?? 0n) > 0n;
  if (isPart) return 'partly_refunded';
  const refundedTo = payment?.execution?.refund?.refundedTo;
  if (refundTo === undefined || typeof refundedTo !== 'string') return 'refunded';
  return refundTo.some((own) => isSameAddress(own, refundedTo)) ? 'refunded_to_shop' : 'refunded_to_payer';
}

function reasonOfUpdate(event: PaymentEvent, options: VerdictOptions): VerdictReason {
  const { named, previousOrderId, resolution } = toldBy(event);
  if (resolution !== undefined) return 'resolved';
  if (event.data.status === 'FAILED') return reasonOfFailure(event, options);
  if (event.data.status !== 'COMPLETED') return 'updated';
  if (typeof previousOrderId === 'string') return 'order_changed';
  return named === true ? reasonOfCompletion(event, options) : 'updated';
}

function reasonOfAnomaly(event: PaymentEvent): VerdictReason {
  const { reason } = toldBy(event);
  if (BY_CHAIN.has(reason)) return 'contradicted_by_chain';
  if (PASSING.has(reason) && event.data.status === 'COMPLETED') return 'changed_after_completed';
  return isOfAnomaly(reason) ? reason : 'unknown_anomaly';
}

function toldBy({ data }: PaymentEvent): Told {
  return data as unknown as Told;
}

/** True for a known reason of anomalies whose verdict is `ask`, or that is passing: an anomaly never fulfils. */
function isOfAnomaly(reason: unknown): reason is VerdictReason {
  const isKnown = typeof reason === 'string' && Object.hasOwn(VERDICTS, reason);
  return isKnown && (PASSING.has(reason) || VERDICTS[reason as VerdictReason] === 'ask');
}

/** True if the amount is less by more than 1 %: an estimate may be wrong by that much. */
function isLess(arrived: unknown, promised: unknown): boolean {
  const [came, whole] = [unitsOf(arrived), unitsOf(promised)];
  return came !== null && whole !== null && came * 100n < whole * 99n;
}

/** Null for anything but a decimal string. */
function unitsOf(amount: unknown): bigint | null {
  const [, whole, fraction = ''] = (typeof amount === 'string' ? DECIMAL.exec(amount) : null) ?? [];
  return whole === undefined ? null : BigInt(whole + fraction.padEnd(FRACTION_DIGITS, '0'));
}

/** EVM addresses are the same in any letter case. */
function isSameAddress(a: string, b: string): boolean {
  return a === b || (/^0x/i.test(a) && a.toLowerCase() === b.toLowerCase());
}
