import { readQuote } from '../../domain/payment/quote.ts';
import { IdempotencyLost, type IdempotencyClaim } from '../../ports/idempotency.ts';
import { ProviderUnavailable } from '../../ports/payment-provider.ts';
import type { PaymentToAdd } from '../../ports/payments.ts';
import type { Queries } from '../../ports/queries.ts';

/**
 * Adds the quote to a payment that was adopted by its status alone. Throws if the quote's deposit address is not the stored
 * one: the provider has given an id twice, and a payment to the new address would not be tracked.
 */
export async function storeQuote(
  queries: Queries,
  { quoteId, quoteText, adoptedQuoteText = null }: PaymentToAdd,
): Promise<void> {
  if (adoptedQuoteText !== null) await addQuote(queries, quoteId, adoptedQuoteText);
  if (quoteText === null) return;
  await addQuote(queries, quoteId, quoteText);
  const [stored] = await queries.query<{ body: string }>(READ_QUOTE, [quoteId]);
  if (addressOf(stored?.body ?? '') !== addressOf(quoteText))
    throw new ProviderUnavailable('it gave the id of another quote again');
}

/** Keeps a quote that is stored already. */
export async function addQuote(queries: Queries, quoteId: string, quoteText: string): Promise<void> {
  await queries.query(INSERT_QUOTE, [quoteId, quoteText]);
}

export async function completeClaim(
  queries: Queries,
  claim: IdempotencyClaim,
  quoteId: string,
): Promise<void> {
  const completed = await queries.query(COMPLETE_CLAIM, [claim.scope, claim.key, claim.token, quoteId]);
  if (completed.length === 0) throw new IdempotencyLost();
}

function addressOf(quoteText: string): string | null {
  try {
    return readQuote(JSON.parse(quoteText), quoteText)?.depositAddress ?? null;
  } catch {
    return null;
  }
}

const COMPLETE_CLAIM = `
  UPDATE idempotency SET quote_id = $4 WHERE scope = $1 AND key = $2 AND token = $3
  RETURNING 1`;

const INSERT_QUOTE = `
  INSERT INTO payment_quote (payment_id, body)
  SELECT id, $2 FROM payment WHERE quote_id = $1
  ON CONFLICT (payment_id) DO NOTHING`;

const READ_QUOTE = `
  SELECT q.body FROM payment_quote q JOIN payment p ON p.id = q.payment_id WHERE p.quote_id = $1`;
