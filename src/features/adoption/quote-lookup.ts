import { quoteIdKey } from '../../domain/payment/reading.ts';
import type { Report } from '../../domain/payment/report.ts';
import { ProviderMeter } from '../../ports/meter.ts';
import {
  ProviderCredentials,
  ProviderRefused,
  ProviderUnavailable,
  type StatusAnswer,
} from '../../ports/payment-provider.ts';
import type { ProviderCell } from '../../ports/provider-cell.ts';
import { Timers } from '../../ports/timers.ts';
import { checkDepositAddress } from './check-deposit-address.ts';
import { ShortCache } from './short-cache.ts';
import { UnknownPayment } from './unknown-payment.ts';

const MAX_UNKNOWN = 1_000;

/** Asks one provider for the report about a quote that Paybell does not have. */
export class QuoteLookup {
  private readonly unknown: ShortCache<true>;

  constructor(
    private readonly cell: ProviderCell,
    private readonly meter: ProviderMeter,
    private readonly timers: Timers,
  ) {
    this.unknown = new ShortCache(timers, MAX_UNKNOWN);
  }

  get provider(): string {
    return this.cell.provider.name;
  }

  /**
   * A UUID in small letters first, as providers write it: one that repeats what it was asked for names it so each time. Throws
   * UnknownPayment, InvalidField and the provider's errors.
   */
  async read(quoteId: string, caller: string, quoteText: string | null): Promise<Report> {
    const usual = quoteIdKey(quoteId);
    try {
      return await this.readExactly(usual, caller, quoteText);
    } catch (error) {
      if (usual === quoteId || !(error instanceof UnknownPayment)) throw error;
      return this.readExactly(quoteId, caller, quoteText);
    }
  }

  /** With its quote, a provider that lost it may know it again. */
  private async readExactly(quoteId: string, caller: string, quoteText: string | null): Promise<Report> {
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
