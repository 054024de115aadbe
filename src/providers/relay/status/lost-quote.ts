import { readReport } from '../../../domain/payment/report.ts';
import type { Clock } from '../../../ports/clock.ts';
import { addressKey } from '../../../domain/chains/address-key.ts';
import type { StatusAnswer } from '../../../ports/payment-provider.ts';
import { LostOnAddress, type KeptQuote } from '../../shared/kept-quote.ts';
import { UNLISTED, type RelayQuote } from '../quote/relay-quote.ts';
import type { RelayStore } from '../quote/relay-store.ts';
import { matchOf } from './deposit-match.ts';
import type { RelayRequest } from './relay-request.ts';
import { isAwaiting } from './request-phase.ts';
import { StatusBatch, type Found } from './status-batch.ts';
import { unreadable } from './status-page.ts';
import type { StatusQueries } from './status-queries.ts';
import { toStatus } from './to-status.ts';

export interface LostQuoteSources {
  readonly queries: StatusQueries;
  readonly store: Pick<RelayStore, 'addAlone' | 'find'>;
  readonly clock: Clock;
  readonly ttlSeconds: number;
}

/** Finds a lost quote among Relay's requests on its deposit address, and reads its status from the same answer. */
export class LostRelayQuote extends LostOnAddress<RelayQuote> {
  constructor(
    private readonly from: LostQuoteSources,
    kept: KeptQuote,
  ) {
    const { store } = from;
    super({ add: (quote) => store.addAlone(quote), find: (ids) => store.find(ids) }, kept);
  }

  async readStatus(): Promise<StatusAnswer> {
    const askedAt = this.from.clock.now();
    const found = await this.readRequests();
    if (found.kind !== 'rows') return found;
    const own = ownRequestOf(this.kept, found.rows);
    if ('doubt' in own) return this.doubt(own.doubt);
    this.confirmed = this.restored(own.request);
    const text = toStatus(this.confirmed, found.rows, askedAt);
    const report = readReport(JSON.parse(text), text);
    return report === null ? unreadable() : { kind: 'report', report };
  }

  /** All requests on the address, with their successors. */
  private async readRequests(): Promise<Found> {
    const batch = new StatusBatch(this.from.queries, [this.restored(null)]);
    let found: Found = unreadable();
    await batch.read((_quote, read) => {
      found = read;
    });
    this.extraRequests = Math.max(batch.requests - 1, 0);
    return found;
  }

  /** The quote with the id and time of its request. Before a deposit there is no request, and the quote's time begins anew. */
  private restored(request: RelayRequest | null): RelayQuote {
    const createdAt = request?.createdAt ?? this.from.clock.now();
    const expiresAt = new Date(createdAt.getTime() + this.from.ttlSeconds * 1_000);
    const requestId = request?.id ?? `${UNLISTED}${this.kept.quoteId}`;
    return { ...this.kept, requestId, createdAt, expiresAt };
  }
}

/**
 * The request of a lost quote; null when Relay lists none yet. Or the reason why the listed request may be another payment's.
 */
type OwnRequest = { readonly request: RelayRequest | null } | { readonly doubt: string };

/**
 * Finds a lost quote's request among Relay's. No other source has the quote's time, so that a request that may belong to
 * another payment on the address is a doubt: a second request for the same amounts, or an older one. Relay re-quotes deposits
 * of another amount under new ids, which belong to the quote.
 */
function ownRequestOf(kept: KeptQuote, rows: readonly RelayRequest[]): OwnRequest {
  const here = rows.filter((row) => isOnAddress(row, kept));
  if (here.some((row) => !mayBeFor(row, kept)))
    return { doubt: 'What Relay has on its deposit address is another payment.' };
  const [only] = here;
  if (only === undefined) return { request: null };
  if (here.length === 1 && only.quoted === null && isAwaiting(only)) return { request: only };
  const successors = new Set(rows.map(({ supersededBy }) => supersededBy));
  const [own, ...others] = here.filter((row) => isQuotedAs(row, kept) && !successors.has(row.id));
  if (own === undefined)
    return { doubt: 'Relay has no request on its deposit address with the terms of this quote.' };
  if (others.length > 0) return { doubt: 'Several requests on its deposit address were quoted as it was.' };
  if (here.some((row) => timeOf(row) < timeOf(own)))
    return { doubt: 'Its deposit address was used for another payment before.' };
  return { request: own };
}

function isOnAddress({ depositAddress }: RelayRequest, kept: KeptQuote): boolean {
  return depositAddress !== null && addressKey(depositAddress.address) === addressKey(kept.depositAddress);
}

/** A field that a row lacks contradicts nothing. */
function mayBeFor({ recipient }: RelayRequest, kept: KeptQuote): boolean {
  return recipient === null || addressKey(recipient) === addressKey(kept.recipient);
}

/** True for the same recipient, and the same amount of the same token on the same chain. */
function isQuotedAs({ recipient, quoted }: RelayRequest, kept: KeptQuote): boolean {
  return recipient !== null && matchOf(kept, quoted) === 'exact';
}

/** A request without a time may be older than the quote. */
function timeOf({ createdAt }: RelayRequest): number {
  return createdAt?.getTime() ?? Number.NEGATIVE_INFINITY;
}
