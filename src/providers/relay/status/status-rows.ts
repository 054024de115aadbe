import { addressKey } from '../normalize-address.ts';
import type { RelayQuote } from '../quote/relay-quote.ts';
import type { RelayRequest } from './relay-request.ts';

/** Which rows are about which quote, by quote id. */
export interface RowsOfQuotes {
  readonly byQuote: ReadonlyMap<string, readonly RelayRequest[]>;
  /** True when there is a row that names no address, and belongs to none of the quotes by its id. */
  readonly isUnclear: boolean;
}

/** Relay's clock and ours may differ by so much. */
const CLOCKS_APART_MS = 600_000;

/**
 * Sorts rows by their id, then by their deposit address and the chain that was paid on, then by what they continue. Rows
 * of addresses that are none of the quotes' are left out.
 */
export function rowsOfQuotes(quotes: readonly RelayQuote[], rows: readonly RelayRequest[]): RowsOfQuotes {
  const owners = new Owners(quotes);
  const byQuote = new Map<string, RelayRequest[]>();
  let rest = rows;
  let isMoving = true;
  // A row may come before the one that it continues.
  while (isMoving) {
    const left: RelayRequest[] = [];
    for (const row of rest) {
      const quoteId = owners.claim(row);
      if (quoteId === undefined) left.push(row);
      else
        byQuote
          .set(quoteId, byQuote.get(quoteId) ?? [])
          .get(quoteId)
          ?.push(row);
    }
    isMoving = left.length < rest.length;
    rest = left;
  }
  return { byQuote, isUnclear: rest.some(({ depositAddress }) => depositAddress === null) };
}

class Owners {
  private readonly byRequest: Map<string, string>;
  private readonly byAddress = new Map<string, RelayQuote[]>();

  constructor(quotes: readonly RelayQuote[]) {
    this.byRequest = new Map(quotes.map(({ requestId, quoteId }) => [requestId, quoteId]));
    for (const quote of quotes) {
      const key = addressKey(quote.depositAddress);
      this.byAddress.set(key, [...(this.byAddress.get(key) ?? []), quote]);
    }
  }

  /** The quote that a row is about; what continues the row is about it too from then on. */
  claim(row: RelayRequest): string | undefined {
    const quoteId = this.byRequest.get(row.id) ?? this.ownerOfAddress(row);
    if (quoteId !== undefined && row.supersededBy !== null && !this.byRequest.has(row.supersededBy)) {
      this.byRequest.set(row.supersededBy, quoteId);
    }
    return quoteId;
  }

  private ownerOfAddress(row: RelayRequest): string | undefined {
    if (row.depositAddress === null) return undefined;
    const key = addressKey(row.depositAddress.address);
    const quotes = (this.byAddress.get(key) ?? []).filter((quote) => !isOfBefore(row, quote));
    const chainId = originChainOf(row);
    const payers = quotes.find(({ from }) => chainId === from.chainId);
    // Paid on a chain that was not asked for, it is this quote's all the same, where it can be no other's.
    return (payers ?? quotes.find((quote) => quote.isAddressShared !== true))?.quoteId;
  }
}

/** An address may come back long after it was another's: what was paid to it then pays nothing of this quote. */
function isOfBefore({ createdAt }: RelayRequest, quote: RelayQuote): boolean {
  return createdAt !== null && createdAt.getTime() < quote.createdAt.getTime() - CLOCKS_APART_MS;
}

/** The chain that was paid on: one address may stand on several. */
function originChainOf({ deposited, inTxs, quoted }: RelayRequest): number | null {
  return deposited?.chainId ?? inTxs[0]?.chainId ?? quoted?.chainId ?? null;
}
