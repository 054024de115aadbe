import { Logger } from '@nestjs/common';

import { isQuoteId } from '../../../domain/payment/reading.ts';
import { readReport, type Report } from '../../../domain/payment/report.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { StatusAnswer } from '../../../ports/payment-provider.ts';
import { StoreUnavailable } from '../../../ports/payments.ts';
import { addressKey } from '../normalize-address.ts';
import type { RelayQuote } from '../quote/relay-quote.ts';
import type { RelayStore } from '../relay-store.ts';
import { specStatus, type StatusRules } from './to-status.ts';
import { StatusBatch } from './status-batch.ts';
import { unavailable, unreadable, type Silence } from './status-page.ts';
import type { StatusQuestions } from './status-questions.ts';

/** Addresses that one question names: a page has room for 50 rows, and some addresses have more than one. */
export const BATCH_SIZE = 40;

const UNKNOWN_ID: StatusAnswer = { kind: 'refused', httpStatus: 404, message: 'There is no such quote.' };
const log = new Logger('RelayStatuses');

type OnAnswer = (quoteId: string, answer: StatusAnswer) => void;

export interface StatusSources extends StatusRules {
  readonly questions: StatusQuestions;
  readonly store: Pick<RelayStore, 'find'>;
  readonly clock: Clock;
  /** Told of requests beyond one for each batch, or spared, as a negative number. */
  readonly onExtraRequests: (requests: number) => void;
}

/** As PaymentProvider.readStatuses: one question for each BATCH_SIZE deposit addresses, unless somebody floods them. */
export async function readStatuses(
  from: StatusSources,
  quoteIds: readonly string[],
  onAnswer: OnAnswer,
  signal?: AbortSignal,
): Promise<void> {
  const ids = [...new Set(quoteIds)];
  const quotes = signal?.aborted === true ? stopping() : await findQuotes(from.store, ids);
  if (!(quotes instanceof Map)) {
    for (const id of ids) onAnswer(id, quotes);
    return;
  }
  for (const id of ids) if (!quotes.has(id)) onAnswer(id, UNKNOWN_ID);
  const asked = ids.flatMap((id) => quotes.get(id) ?? []);
  let requests = 0;
  for (const batch of batchesOf(asked)) requests += await readBatch(from, batch, onAnswer, signal);
  const extra = requests - Math.ceil(ids.length / BATCH_SIZE);
  if (extra !== 0) from.onExtraRequests(extra);
}

/** What is true of a quote that nobody has seen yet: it takes no question. */
export function firstReport(quote: RelayQuote): Report | null {
  const text = specStatus(quote, [], quote.createdAt);
  return readReport(JSON.parse(text), text);
}

/** Answers with how many requests it took. */
async function readBatch(
  from: StatusSources,
  batch: readonly RelayQuote[],
  onAnswer: OnAnswer,
  signal: AbortSignal | undefined,
): Promise<number> {
  // From before the question: what Relay does not know yet may have come by the time of its answer.
  const askedAt = from.clock.now();
  const asked = new StatusBatch(from.questions, batch, signal);
  await asked.read((quote, found) => {
    const isReported = found.kind === 'rows';
    onAnswer(quote.quoteId, isReported ? reportOf(specStatus(quote, found.rows, askedAt, from)) : found);
  });
  return asked.requests;
}

function reportOf(text: string): StatusAnswer {
  const report = readReport(JSON.parse(text), text);
  return report === null ? unreadable() : { kind: 'report', report };
}

async function findQuotes(
  store: Pick<RelayStore, 'find'>,
  quoteIds: readonly string[],
): Promise<Map<string, RelayQuote> | Silence> {
  try {
    return await store.find(quoteIds.filter(isQuoteId));
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) log.error(`Reading quotes failed: ${String(error)}`);
    return unavailable('database', null);
  }
}

/** Quotes on one address, each on a chain of its own, are asked for together. */
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

function stopping(): Silence {
  return unavailable('stopping', null);
}
