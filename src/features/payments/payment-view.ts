import { JsonText } from '../../platform/http/json-text.ts';
import type { StoredPayment } from '../../ports/payments.ts';

/** A payment as the API returns it; `PaymentAnswer` describes it. */
export type PaymentView = ReturnType<typeof viewOf>;

/** Quote and report keep the provider's text. */
export function viewOf(payment: StoredPayment) {
  return {
    quoteId: payment.quoteId,
    orderId: payment.orderId,
    metadata: payment.metadata,
    status: payment.status,
    late: payment.late,
    sequence: payment.sequence,
    tracking: payment.tracking,
    createdAt: instant(payment.createdAt),
    expiresAt: instant(payment.expiresAt),
    updatedAt: instant(payment.updatedAt),
    lastPolledAt: instant(payment.lastPolledAt),
    nextPollAt: instant(payment.nextPollAt),
    quote: verbatim(payment.quoteText),
    report: verbatim(payment.reportText),
  };
}

function instant(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}

function verbatim(text: string | null): JsonText | null {
  return text === null ? null : new JsonText(text);
}
