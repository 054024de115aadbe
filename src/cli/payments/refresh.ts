import type { Schemas } from '../api/api-client.ts';
import type { Session } from '../api/session.ts';
import { print } from '../output/print.ts';
import { withProgress } from '../output/progress.ts';
import { paymentTable } from './list.ts';

/** How long a payment waits for a place in the provider's budget. */
const PATIENCE_MS = 120_000;

/** Polls payments one after another: each takes of the provider's budget. */
export async function refreshPayments(
  { api }: Session,
  quoteIds: readonly string[],
  isJson: boolean,
): Promise<void> {
  const payments: Schemas['PaymentAnswer'][] = [];
  await withProgress('Asking the provider', quoteIds.length, async (advance) => {
    for (const quoteId of quoteIds) {
      const path = { quoteId };
      const { text, data } = await api.callPatiently(PATIENCE_MS, 'post', '/api/payments/{quoteId}/refresh', {
        path,
      });
      if (isJson) await print(`${text}\n`);
      payments.push(data);
      advance();
    }
  });
  if (!isJson) await print(paymentTable(payments));
}
