import { readQuote } from '../../domain/payment/quote.ts';
import { isMoneyInFlight, type Status } from '../../domain/payment/status.ts';
import { memberTexts } from '../../domain/text/member-text.ts';
import type { StoredPayment } from '../../ports/payments.ts';

type QuotedPayment = Pick<StoredPayment, 'quoteId' | 'status' | 'expiresAt'>;

/** The quote of this key is paid or has ended: its deposit address must not be shown again. */
class QuoteNoLongerPayable extends Error {
  readonly code = 'quote_no_longer_payable';
  readonly members: Readonly<Record<string, unknown>>;
  constructor({ quoteId, status }: QuotedPayment) {
    super(`The quote of this Idempotency-Key can't be paid any more: ${reasonOf(status)}`);
    this.members = { quoteId, paymentStatus: status };
  }
}

/**
 * The quote that a request with the same Idempotency-Key made, with its remaining seconds, rounded up. Throws
 * QuoteNoLongerPayable: a deposit address takes one deposit, and none after its expiry.
 */
export function replayedQuote(quoteText: string, payment: QuotedPayment, now: Date): string {
  const { status, expiresAt } = payment;
  const leftMs = expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt.getTime() - now.getTime();
  if (status !== 'AWAITING_DEPOSIT' || leftMs <= 0) throw new QuoteNoLongerPayable(payment);
  const stated = readQuote(JSON.parse(quoteText), quoteText)?.expiresIn ?? null;
  const left = Math.ceil(leftMs / 1_000);
  return stated === null || left >= stated ? quoteText : withExpiresIn(quoteText, left);
}

/** Keeps every other member's text: parsing it could drop digits. */
function withExpiresIn(quoteText: string, seconds: number): string {
  const members = memberTexts(quoteText) ?? new Map<string, string>();
  members.set('expiresIn', String(seconds));
  const texts = [...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return `{${texts.join(',')}}`;
}

function reasonOf(status: Status): string {
  if (status === 'COMPLETED') return 'its payment is completed.';
  if (isMoneyInFlight(status)) return 'its payment is under way. Follow it by its quoteId.';
  return 'it has ended. A new attempt needs a key of its own.';
}
