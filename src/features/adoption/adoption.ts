import { hash } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { quoteIdKey } from '../../domain/payment/reading.ts';
import type { PaymentLabel } from '../../domain/payment/relabel.ts';
import type { Report } from '../../domain/payment/report.ts';
import { type ProviderCell, ProviderCells } from '../../ports/provider-cell.ts';
import { Clock } from '../../ports/clock.ts';
import { Meter } from '../../ports/meter.ts';
import {
  ProviderCredentials,
  ProviderRefused,
  ProviderUnavailable,
  type StatusAnswer,
} from '../../ports/payment-provider.ts';
import { PaymentRemoved, Payments, type AddedPayment } from '../../ports/payments.ts';
import { Timers } from '../../ports/timers.ts';
import type { RequestSpan } from '../../ports/tracer.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { checkDepositAddress, quotedAddress } from './check-deposit-address.ts';
import { ShortCache } from './short-cache.ts';
import { UnknownPayment } from './unknown-payment.ts';

/** A report that is not stored, and when the provider gave it. */
export interface UnstoredReport {
  readonly text: string;
  readonly reportedAt: Date;
}

/** What a merchant says about a quote that was made elsewhere; null: nothing. */
export interface AdoptedOrder extends PaymentLabel {
  /** The quote object as the provider answered it, and its estimate of the delivery. */
  readonly quote: { readonly text: string; readonly expectedMs: number | null } | null;
}

/** `quoteId` is the spelling that is stored. */
export type AdoptedPayment = AddedPayment & { readonly quoteId: string };

const MAX_UNKNOWN = 1_000;
/** Fewer than MAX_UNKNOWN, since a report may be large. */
const MAX_REMOVED = 100;
const NO_ORDER: AdoptedOrder = { orderId: null, metadata: null, quote: null };

/** Adopts quotes that were made elsewhere: if the provider knows the id, stores the payment and tracks it from then on. */
@Injectable()
export class Adoption {
  private readonly lookups = new SharedWork<Report>();
  private readonly removedLookups = new SharedWork<UnstoredReport>();
  private readonly unknown: ShortCache<true>;
  private readonly removed: ShortCache<UnstoredReport>;

  constructor(
    private readonly cells: ProviderCells,
    private readonly payments: Payments,
    private readonly meter: Meter,
    private readonly clock: Clock,
    private readonly timers: Timers,
  ) {
    this.unknown = new ShortCache(timers, MAX_UNKNOWN);
    this.removed = new ShortCache(timers, MAX_REMOVED);
  }

  /**
   * For an id that is neither stored nor removed; stored is the spelling of the provider's report, so that two spellings of one UUID
   * never become two payments. `caller` is the client whose share of scarce requests it uses. `isNew` is
   * false when another request stored the payment meanwhile. Throws PaymentRemoved, UnknownPayment, InvalidField and the provider's errors. `span`: of the request.
   */
  async adopt(
    quoteId: string,
    caller: string,
    { orderId, metadata, quote }: AdoptedOrder = NO_ORDER,
    span: RequestSpan | null = null,
  ): Promise<AdoptedPayment> {
    const quoteText = quote?.text ?? null;
    // A look-up by one quote object says nothing about another one.
    const key = `${caller} ${quoteId}${quoteText === null ? '' : ` ${hash('sha256', quoteText)}`}`;
    const report = await this.lookups.run(key, () => this.lookUp(quoteId, caller, quoteText));
    const { expiresAt, quoteId: named } = report;
    const storedId = named ?? quoteId;
    const added = await this.payments.add({
      quoteId: storedId,
      provider: this.cell.provider.name,
      orderId,
      metadata,
      expiresAt,
      expectedMs: quote?.expectedMs ?? null,
      depositAddress: quoteText === null ? null : quotedAddress(quoteId, quoteText),
      span,
      quoteText: null,
      adoptedQuoteText: quoteText,
      report,
    });
    return { ...added, quoteId: storedId };
  }

  /**
   * Reads the provider's report about a payment that retention has removed, without storing it. Throws PaymentRemoved when
   * the provider no longer knows the payment, and the provider's errors.
   */
  async readRemoved(quoteId: string, caller: string): Promise<UnstoredReport> {
    const cached = this.removed.get(quoteId);
    return (
      cached ?? this.removedLookups.run(`${caller} ${quoteId}`, () => this.lookUpRemoved(quoteId, caller))
    );
  }

  private get cell(): ProviderCell {
    return this.cells.preferred;
  }

  private async lookUpRemoved(quoteId: string, caller: string): Promise<UnstoredReport> {
    try {
      const { text } = await this.lookups.run(`${caller} ${quoteId}`, () => this.lookUp(quoteId, caller));
      const passing = { text, reportedAt: this.clock.now() };
      this.removed.set(quoteId, passing);
      return passing;
    } catch (error) {
      throw error instanceof UnknownPayment ? new PaymentRemoved(404) : error;
    }
  }

  /** A UUID in small letters first, as providers write it: one that repeats what it was asked for names it so each time. */
  private async lookUp(quoteId: string, caller: string, quoteText: string | null = null): Promise<Report> {
    const usual = quoteIdKey(quoteId);
    try {
      return await this.lookUpExactly(usual, caller, quoteText);
    } catch (error) {
      if (usual === quoteId || !(error instanceof UnknownPayment)) throw error;
      return this.lookUpExactly(quoteId, caller, quoteText);
    }
  }

  /** With its quote, a provider that lost it may know it again. */
  private async lookUpExactly(quoteId: string, caller: string, quoteText: string | null): Promise<Report> {
    const lost = quoteText === null ? null : await this.cell.provider.readLostQuote(quoteId, quoteText);
    if (lost === null) await this.checkKnown(quoteId, quoteText !== null);
    const { isProbe } = await this.cell.rateLimit.takeOne(caller);
    if (isProbe) await this.cell.health.beginProbe();
    const startedAt = this.timers.nowMs();
    const answer = lost === null ? await this.ask(quoteId) : await lost.readStatus();
    this.meter.requested(this.timers.nowMs() - startedAt);
    void this.cell.rateLimit.charge(lost?.extraRequests ?? 0);
    if (isProbe) this.cell.health.recordAnswer(quoteId, answer, 0);
    const report = this.reportOf(answer, quoteId);
    if (quoteText !== null) checkDepositAddress(quoteId, quoteText, report.text);
    await lost?.keep();
    return report;
  }

  /** Throws UnknownPayment for an id that needs no request. */
  private async checkKnown(quoteId: string, hasQuote: boolean): Promise<void> {
    if (!hasQuote && this.unknown.get(quoteId)) throw new UnknownPayment();
    if (!(await this.cell.provider.mayKnow(quoteId))) throw this.refusal(quoteId, 404, '');
  }

  private async ask(quoteId: string): Promise<StatusAnswer> {
    let answered: StatusAnswer = {
      kind: 'unavailable',
      httpStatus: null,
      reason: 'no answer',
      retryAfterMs: null,
    };
    const extra = await this.cell.provider.readStatuses([quoteId], (_id, answer) => {
      answered = answer;
    });
    void this.cell.rateLimit.charge(extra ?? 0);
    return answered;
  }

  private reportOf(answer: StatusAnswer, quoteId: string): Report {
    if (answer.kind === 'credentials') throw new ProviderCredentials();
    if (answer.kind === 'unavailable') throw new ProviderUnavailable(answer.reason, answer.retryAfterMs);
    if (answer.kind === 'refused') throw this.refusal(quoteId, answer.httpStatus, answer.message);
    // The report is stored for ever under this id: unlike elsewhere, a report without an id is not accepted.
    if (quoteIdKey(answer.report.quoteId ?? '') !== quoteIdKey(quoteId))
      throw new ProviderUnavailable('it answered about another quote');
    return answer.report;
  }

  private refusal(quoteId: string, httpStatus: 400 | 404 | 422, message: string): Error {
    if (httpStatus !== 404) return new ProviderRefused(httpStatus, message);
    this.unknown.set(quoteId, true);
    return new UnknownPayment();
  }
}
