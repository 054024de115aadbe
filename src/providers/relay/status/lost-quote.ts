import { readReport } from '../../../domain/payment/report.ts';
import type { Clock } from '../../../ports/clock.ts';
import { ProviderRefused, type LostQuote, type StatusAnswer } from '../../../ports/payment-provider.ts';
import { addressKey } from '../../../domain/payment/address-key.ts';
import type { KeptQuote } from '../quote/kept-quote.ts';
import { ownRequestOf } from './lost-request.ts';
import { UNLISTED, type RelayQuote } from '../quote/relay-quote.ts';
import { AddressTaken, type RelayStore } from '../quote/relay-store.ts';
import type { RelayRequest } from './relay-request.ts';
import { StatusBatch, type Found } from './status-batch.ts';
import { unreadable } from './status-page.ts';
import type { StatusQueries } from './status-queries.ts';
import { toStatus, type StatusOptions } from './to-status.ts';

export interface LostQuoteSources extends StatusOptions {
  readonly queries: StatusQueries;
  readonly store: Pick<RelayStore, 'addAlone' | 'find'>;
  readonly clock: Clock;
  readonly ttlSeconds: number;
}

const REFUSED_HTTP_STATUS = 422;

/** Finds a quote that was lost among Relay's requests on its deposit address, and reads its status from the same answer. */
export class LostRelayQuote implements LostQuote {
  extraRequests = 0;
  private quote: RelayQuote;

  constructor(
    private readonly from: LostQuoteSources,
    private readonly kept: KeptQuote,
  ) {
    this.quote = this.restored(null);
  }

  async readStatus(): Promise<StatusAnswer> {
    const askedAt = this.from.clock.now();
    const found = await this.readRequests();
    if (found.kind !== 'rows') return found;
    const own = ownRequestOf(this.kept, found.rows);
    if ('doubt' in own) return { kind: 'refused', httpStatus: REFUSED_HTTP_STATUS, message: own.doubt };
    this.quote = this.restored(own.request);
    const text = toStatus(this.quote, found.rows, askedAt, this.from);
    const report = readReport(JSON.parse(text), text);
    return report === null ? unreadable() : { kind: 'report', report };
  }

  async keep(): Promise<void> {
    const { store } = this.from;
    try {
      await store.addAlone(this.quote);
    } catch (error) {
      if (!(error instanceof AddressTaken)) throw error;
      // The same quote may have been handed over twice at once.
      const stored = (await store.find([this.kept.quoteId])).get(this.kept.quoteId);
      if (stored !== undefined && addressKey(stored.depositAddress) === addressKey(this.kept.depositAddress))
        return;
      throw new ProviderRefused(REFUSED_HTTP_STATUS, 'Its deposit address belongs to another payment.');
    }
  }

  /** All requests on the address, with their successors. */
  private async readRequests(): Promise<Found> {
    const batch = new StatusBatch(this.from.queries, [this.quote]);
    let found: Found = unreadable();
    await batch.read((_quote, read) => {
      found = read;
    });
    this.extraRequests = Math.max(batch.requests - 1, 0);
    return found;
  }

  /** With the id and the time of its request. Without one, which is so before a deposit, its time begins anew. */
  private restored(request: RelayRequest | null): RelayQuote {
    const createdAt = request?.createdAt ?? this.from.clock.now();
    const expiresAt = new Date(createdAt.getTime() + this.from.ttlSeconds * 1_000);
    const requestId = request?.id ?? `${UNLISTED}${this.kept.quoteId}`;
    return { ...this.kept, requestId, createdAt, expiresAt };
  }
}
