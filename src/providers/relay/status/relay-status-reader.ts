import { Logger } from '@nestjs/common';

import { isQuoteId } from '../../../domain/payment/reading.ts';
import { readReport, type Report } from '../../../domain/payment/report.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { OnAnswer } from '../../../ports/payment-provider.ts';
import { StoreUnavailable } from '../../../ports/payments.ts';
import { addressKey } from '../../../domain/chains/address-key.ts';
import { reportAnswer, UNKNOWN_ID } from '../../shared/read-each.ts';
import type { RelayQuote } from '../quote/relay-quote.ts';
import type { RelayStore } from '../quote/relay-store.ts';
import { toStatus } from './to-status.ts';
import { StatusBatch } from './status-batch.ts';
import { unavailable, type NoAnswer } from './status-page.ts';
import type { StatusQueries } from './status-queries.ts';

/** How many deposit addresses one query names: a page holds 50 rows, and some addresses have several. */
export const BATCH_SIZE = 40;

const log = new Logger('RelayStatuses');

export interface StatusSources {
  readonly queries: StatusQueries;
  readonly store: Pick<RelayStore, 'find'>;
  readonly clock: Clock;
  readonly onSent?: (() => void) | undefined;
}

/**
 * Implements PaymentProvider.readStatuses: one query for each BATCH_SIZE deposit addresses, more when addresses are flooded.
 */
export async function readStatuses(
  from: StatusSources,
  quoteIds: readonly string[],
  onAnswer: OnAnswer,
): Promise<number> {
  const ids = [...new Set(quoteIds)];
  const quotes = await findQuotes(from.store, ids);
  if (!(quotes instanceof Map)) {
    for (const id of ids) onAnswer(id, quotes);
    return 0;
  }
  for (const id of ids) if (!quotes.has(id)) onAnswer(id, UNKNOWN_ID);
  const asked = ids.flatMap((id) => quotes.get(id) ?? []);
  let requests = 0;
  for (const batch of batchesOf(asked)) requests += await readBatch(from, batch, onAnswer);
  return requests - Math.ceil(ids.length / BATCH_SIZE);
}

/** The report of a new quote, made without a query: no payer has seen its deposit address yet. */
export function firstReport(quote: RelayQuote): Report | null {
  const text = toStatus(quote, [], quote.createdAt);
  return readReport(JSON.parse(text), text);
}

/** Returns the number of requests that were sent. */
async function readBatch(
  from: StatusSources,
  batch: readonly RelayQuote[],
  onAnswer: OnAnswer,
): Promise<number> {
  // Takes the time before the query: a deposit that Relay's answer lacks may have arrived during the query.
  const askedAt = from.clock.now();
  const asked = new StatusBatch(from.queries, batch, from.onSent);
  await asked.read((quote, found) => {
    const isReported = found.kind === 'rows';
    onAnswer(quote.quoteId, isReported ? reportAnswer(toStatus(quote, found.rows, askedAt)) : found);
  });
  return asked.requests;
}

async function findQuotes(
  store: Pick<RelayStore, 'find'>,
  quoteIds: readonly string[],
): Promise<Map<string, RelayQuote> | NoAnswer> {
  try {
    return await store.find(quoteIds.filter(isQuoteId));
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) log.error(`Reading quotes failed: ${String(error)}`);
    return unavailable('database', null);
  }
}

/** Puts the quotes that share an address, each on its own chain, into the same batch. */
function batchesOf(quotes: readonly RelayQuote[]): RelayQuote[][] {
  const byAddress = new Map<string, RelayQuote[]>();
  for (const quote of quotes) {
    const key = addressKey(quote.depositAddress);
    byAddress.set(key, [...(byAddress.get(key) ?? []), quote]);
  }
  const groups = [...byAddress.values()];
  const batches: RelayQuote[][] = [];
  for (let start = 0; start < groups.length; start += BATCH_SIZE) {
    batches.push(groups.slice(start, start + BATCH_SIZE).flat());
  }
  return batches;
}
