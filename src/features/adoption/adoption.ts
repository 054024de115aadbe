import { hash } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { isRecord } from '../../domain/payment/reading.ts';
import type { PaymentLabel } from '../../domain/transitions/relabel.ts';
import type { Report } from '../../domain/payment/report.ts';
import { ProviderCells } from '../../ports/provider-cell.ts';
import { Clock } from '../../ports/clock.ts';
import { Meter } from '../../ports/meter.ts';
import { PaymentRemoved, Payments, type AddedPayment } from '../../ports/payments.ts';
import { Timers } from '../../ports/timers.ts';
import type { RequestSpan } from '../../ports/tracer.ts';
import { DeliverySignals } from '../../platform/scheduling/delivery-signals.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { Asker } from './asker.ts';
import { quotedAddress } from './check-deposit-address.ts';
import { ForeignQuotes } from './foreign-quotes.ts';
import { ShortCache } from './short-cache.ts';
import { UnknownPayment } from './unknown-payment.ts';

/** A report that is not stored, and when the provider gave it. */
export interface UnstoredReport {
  readonly text: string;
  readonly reportedAt: Date;
}

/** The merchant's statement about a quote that was made elsewhere; null: nothing was stated. */
export interface AdoptedOrder extends PaymentLabel {
  /** The quote object as the provider returned it, and its estimate of the delivery. */
  readonly quote: { readonly text: string; readonly expectedMs: number | null } | null;
}

/** `quoteId` is the spelling that is stored. */
export type AdoptedPayment = AddedPayment & { readonly quoteId: string };

/** A report, and the provider that gave it. */
interface FoundReport {
  readonly provider: string;
  readonly report: Report;
}

/** Few, since a report may be large. */
const MAX_REMOVED = 100;
const NO_ORDER: AdoptedOrder = { orderId: null, metadata: null, quote: null };

/** Adopts quotes that were made elsewhere: if the provider knows the id, stores the payment and tracks it from then on. */
@Injectable()
export class Adoption {
  private readonly reads = new SharedWork<FoundReport>();
  private readonly removedReads = new SharedWork<UnstoredReport>();
  private readonly removed: ShortCache<UnstoredReport>;
  private readonly foreignQuotes: readonly ForeignQuotes[];

  constructor(
    cells: ProviderCells,
    private readonly payments: Payments,
    private readonly deliveries: DeliverySignals,
    meter: Meter,
    private readonly clock: Clock,
    timers: Timers,
  ) {
    this.foreignQuotes = cells.asked.map(
      (cell) => new ForeignQuotes(cell, meter.of(cell.provider.name), timers),
    );
    this.removed = new ShortCache(timers, MAX_REMOVED);
  }

  /**
   * For an id that is neither stored nor removed. Stores the spelling of the provider's report, so that two spellings of one
   * UUID never become two payments. `by` asks the provider, or is the client whose share of scarce requests is used. `isNew`
   * is false when another request stored the payment meanwhile. `span` is the span of the request. Throws PaymentRemoved,
   * UnknownPayment, InvalidField and the provider's errors.
   */
  async adopt(
    quoteId: string,
    by: Asker | string,
    { orderId, metadata, quote }: AdoptedOrder = NO_ORDER,
    span: RequestSpan | null = null,
  ): Promise<AdoptedPayment> {
    const quoteText = quote?.text ?? null;
    const asker = typeof by === 'string' ? new Asker(by) : by;
    // A read with one quote object says nothing about another quote object.
    const key = `${asker.caller} ${quoteId}${quoteText === null ? '' : ` ${hash('sha256', quoteText)}`}`;
    const { report, provider } = await this.reads.run(key, () => this.readForeign(quoteId, asker, quoteText));
    const { expiresAt, quoteId: named } = report;
    const storedId = named ?? quoteId;
    const payment = {
      quoteId: storedId,
      provider,
      orderId,
      metadata,
      expiresAt,
      expectedMs: quote?.expectedMs ?? null,
      depositAddress: quoteText === null ? null : quotedAddress(quoteId, quoteText),
      span,
      quoteText: null,
      adoptedQuoteText: quoteText,
      report,
    };
    const { deliveries: _handed, ...added } = await this.deliveries.leasing((offers) =>
      this.payments.add(payment, null, offers),
    );
    return { ...added, quoteId: storedId };
  }

  /**
   * Reads the provider's report about a payment that retention has removed, without storing it. Throws PaymentRemoved when
   * the provider no longer knows the payment, and the provider's errors.
   */
  async readRemoved(quoteId: string, caller: string): Promise<UnstoredReport> {
    const cached = this.removed.get(quoteId);
    return (
      cached ?? this.removedReads.run(`${caller} ${quoteId}`, () => this.readRemovedOnce(quoteId, caller))
    );
  }

  private async readRemovedOnce(quoteId: string, caller: string): Promise<UnstoredReport> {
    try {
      const { report } = await this.reads.run(`${caller} ${quoteId}`, () =>
        this.readForeign(quoteId, new Asker(caller)),
      );
      const passing = { text: report.text, reportedAt: this.clock.now() };
      this.removed.set(quoteId, passing);
      return passing;
    } catch (error) {
      throw error instanceof UnknownPayment ? new PaymentRemoved(404) : error;
    }
  }

  /**
   * Asks one provider after another: each knows only its own quotes. Throws the error of the first provider that may know the
   * quote and gave no answer. A quote object is used last, and goes to the provider that it names: a provider that restores an
   * unpaid quote cannot tell whether the quote was its own.
   */
  private async readForeign(
    quoteId: string,
    asker: Asker,
    quoteText: string | null = null,
  ): Promise<FoundReport> {
    const [alone, ...others] = this.foreignQuotes;
    if (alone !== undefined && others.length === 0)
      return this.first((quotes) => quotes.read(quoteId, asker, quoteText));
    try {
      return await this.first((quotes) => quotes.readKnown(quoteId, asker, quoteText));
    } catch (error) {
      if (quoteText === null || !(error instanceof UnknownPayment)) throw error;
      const named = this.foreignQuotes.filter(({ provider }) => provider === namedIn(quoteText));
      const restoring = named.length > 0 ? named : this.foreignQuotes;
      return this.first((quotes) => quotes.restore(quoteId, asker, quoteText), restoring);
    }
  }

  private async first(
    read: (quotes: ForeignQuotes) => Promise<Report>,
    asked = this.foreignQuotes,
  ): Promise<FoundReport> {
    let failure: Error | null = null;
    for (const quotes of asked) {
      try {
        return { provider: quotes.provider, report: await read(quotes) };
      } catch (error) {
        if (!(error instanceof UnknownPayment)) failure ??= error as Error;
      }
    }
    throw failure ?? new UnknownPayment();
  }
}

/** The `provider` in a quote that Paybell returned. */
function namedIn(quoteText: string): unknown {
  const quote: unknown = JSON.parse(quoteText);
  return isRecord(quote) ? quote['provider'] : undefined;
}
