import { pollBy } from '../../domain/polling/due-by.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { readQuote } from '../../domain/payment/quote.ts';
import { urgencyName, type NextPoll } from '../../domain/polling/urgency.ts';
import type { Transition } from '../../domain/payment/transition.ts';
import { IdempotencyLost, type IdempotencyClaim } from '../../ports/idempotency.ts';
import { ProviderUnavailable } from '../../ports/payment-provider.ts';
import type { PaymentToAdd } from '../../ports/payments.ts';
import type { Queries } from '../../ports/queries.ts';
import { PAYMENT_COLUMNS, rowOf } from './payment-row.ts';

/** The id of the new row; null when the quote is stored already. */
export async function insertPayment(
  queries: Queries,
  { payment }: Transition,
  now: Date,
): Promise<string | null> {
  const row = rowOf(payment);
  const [inserted] = await queries.query<{ id: string }>(INSERT_PAYMENT, [
    now,
    payment.tracking === 'closed' ? now : null,
    ...PAYMENT_COLUMNS.map((name) => row[name]),
  ]);
  return inserted?.id ?? null;
}

/**
 * A payment that was adopted by its status alone gets its quote when the quote comes by. A deposit address that is not
 * the stored one would leave untracked: a provider that gives an id twice is refused.
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

/** A quote that is stored already stays. */
export async function addQuote(queries: Queries, quoteId: string, quoteText: string): Promise<void> {
  await queries.query(INSERT_QUOTE, [quoteId, quoteText]);
}

/** The first poll comes a little later than an interval from now, by a `spread` of its own. */
export async function insertSchedule(
  queries: Queries,
  paymentId: string,
  payment: Payment,
  next: NextPoll,
  first: { readonly spread: number; readonly polledAt: Date | null; readonly gapMs: number },
): Promise<void> {
  await queries.query(INSERT_SCHEDULE, [
    paymentId,
    next.inMs,
    urgencyName(next.urgency),
    first.spread,
    first.polledAt,
    pollBy(payment),
    payment.quoteId,
    payment.reportDigest,
    first.gapMs,
  ]);
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

const INSERT_PAYMENT = `
  INSERT INTO payment (updated_at, last_polled_at, ${PAYMENT_COLUMNS.join(', ')})
  VALUES ($1, $2, ${PAYMENT_COLUMNS.map((_name, index) => `$${index + 3}`).join(', ')})
  ON CONFLICT (quote_id) DO NOTHING
  RETURNING id`;

const INSERT_QUOTE = `
  INSERT INTO payment_quote (payment_id, body)
  SELECT id, $2 FROM payment WHERE quote_id = $1
  ON CONFLICT (payment_id) DO NOTHING`;

const READ_QUOTE = `
  SELECT q.body FROM payment_quote q JOIN payment p ON p.id = q.payment_id WHERE p.quote_id = $1`;

/** The token begins with the time, so that a row that is made again never repeats a token of the former one. */
export const FIRST_TOKEN = `(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;

/** Spreads the interval upwards, and what its scale adds to it downwards; keeps the gap to the poll that found it. */
const INSERT_SCHEDULE = `
  INSERT INTO payment_schedule (payment_id, due_at, interval_ms, urgency, token, polled_at, poll_by,
    quote_id, report_digest)
  SELECT $1, greatest(least(latest_poll($6::timestamptz, now(), $2::int),
      now() + scaled_interval($2, x.factor, x.up_to_ms) * (1 - $4::float8) + 2 * $4 * $2 * interval '1 millisecond'),
      $5::timestamptz + $9::int * interval '1 millisecond'),
    $2, x.urgency, ${FIRST_TOKEN}, $5::timestamptz, $6, $7, $8
  FROM interval_scale x WHERE x.urgency = $3::poll_urgency`;
