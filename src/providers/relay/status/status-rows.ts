import { addressKey } from '../../../domain/chains/address-key.ts';
import { UNLISTED, type RelayQuote } from '../quote/relay-quote.ts';
import type { RelayRequest } from './relay-request.ts';

/** The rows of each quote, by quote id. */
export interface RowsOfQuotes {
  readonly byQuote: ReadonlyMap<string, readonly RelayRequest[]>;
  /** True when a row has no address and its id belongs to none of the quotes. */
  readonly isUnclear: boolean;
}

/** How far Relay's clock and ours may differ. */
const CLOCKS_APART_MS = 600_000;

/**
 * Assigns rows to quotes: by request id, by deposit address and origin chain, or as the successor of an assigned row. Leaves
 * out rows of other addresses.
 */
export function rowsOfQuotes(quotes: readonly RelayQuote[], rows: readonly RelayRequest[]): RowsOfQuotes {
  const owners = new Owners(quotes);
  const byQuote = new Map<string, RelayRequest[]>();
  let rest = rows;
  let hasProgress = true;
  // A successor may be listed before the row that names it, so this repeats until no further row is assigned.
  while (hasProgress) {
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
    hasProgress = left.length < rest.length;
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

  /** Returns the quote of a row, and from then on assigns the row's successor to the same quote. */
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
    // A deposit on another chain belongs to the quote too, if no other quote shares the address.
    return (payers ?? quotes.find((quote) => quote.isAddressShared !== true))?.quoteId;
  }
}

/**
 * Relay may reuse an address: a request older than the quote belongs to another payment. If a restored quote's address had no
 * request yet, every later request is the quote's, and gets the quote's time.
 */
function isOfBefore({ createdAt }: RelayRequest, quote: RelayQuote): boolean {
  if (quote.requestId.startsWith(UNLISTED)) return false;
  return createdAt !== null && createdAt.getTime() < quote.createdAt.getTime() - CLOCKS_APART_MS;
}

/** The chain of the deposit, since one address may exist on several chains. */
function originChainOf({ deposited, inTxs, quoted }: RelayRequest): number | null {
  return deposited?.chainId ?? inTxs[0]?.chainId ?? quoted?.chainId ?? null;
}
