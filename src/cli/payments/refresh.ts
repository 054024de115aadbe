import type { Schemas } from '../api/api-client.ts';
import { about } from '../api/problem.ts';
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
  try {
    await withProgress('Asking the provider', quoteIds.length, async (advance) => {
      for (const quoteId of quoteIds) {
        const path = { quoteId };
        const route = '/api/payments/{quoteId}/refresh';
        const { text, data } = await about(quoteId, api.callPatiently(PATIENCE_MS, 'post', route, { path }));
        if (isJson) await print(`${text}\n`);
        payments.push(data);
        advance();
      }
    });
  } finally {
    // What was asked before one that is refused.
    if (!isJson && payments.length > 0) await print(paymentTable(payments));
  }
}
