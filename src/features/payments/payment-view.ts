import { shownAmounts } from '../../domain/payment/amounts.ts';
import { completedOutput } from '../../domain/payment/completed-output.ts';
import { JsonText } from '../../platform/http/json-text.ts';
import type { StoredPayment } from '../../ports/payments.ts';

/** A payment as the API returns it; `PaymentAnswer` describes it. */
export type PaymentView = ReturnType<typeof viewOf>;

/** Quote and report keep the provider's text. */
export function viewOf({ quoteText, reportText, reportedAt: _reportedAt, match, ...payment }: StoredPayment) {
  const output = payment.status === 'COMPLETED' ? completedOutput(reportText) : null;
  const amounts = shownAmounts({ quoteText, match }, reportText);
  return { ...payment, amounts, output, quote: verbatim(quoteText), report: verbatim(reportText) };
}

function verbatim(text: string | null): JsonText | null {
  return text === null ? null : new JsonText(text);
}
