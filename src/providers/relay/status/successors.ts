import { matchOf } from '../deposit-match.ts';
import type { RelayQuote } from '../quote/relay-quote.ts';
import type { RelayRequest } from './relay-request.ts';
import { phaseOf } from './request-phase.ts';

/** The ids of successors that are not among their quote's rows, with the quote's id. A paid quote has no successors. */
export function unseenSuccessors(
  quotes: readonly RelayQuote[],
  rowsOf: (quote: RelayQuote) => readonly RelayRequest[],
): ReadonlyMap<string, string> {
  const own = new Set(quotes.map(({ requestId }) => requestId));
  const unseen = new Map<string, string>();
  for (const quote of quotes) {
    const rows = rowsOf(quote);
    if (rows.some((row) => isPaid(quote, row))) continue;
    const ids = new Set(rows.map(({ id }) => id));
    for (const { supersededBy: next } of rows)
      if (next !== null && !ids.has(next) && !own.has(next)) unseen.set(next, quote.quoteId);
  }
  return unseen;
}

/** Dust that was delivered on the same address is not the payment. */
function isPaid(quote: RelayQuote, row: RelayRequest): boolean {
  return phaseOf(row) === 'completed' && matchOf(quote, row.deposited) !== 'underpaid';
}
