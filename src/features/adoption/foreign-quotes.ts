import { quoteIdKey } from '../../domain/payment/reading.ts';
import type { Report } from '../../domain/payment/report.ts';
import { ProviderMeter } from '../../ports/meter.ts';
import {
  type LostQuote,
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

/** Asks one provider for reports about quotes that Paybell does not have. */
export class ForeignQuotes {
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
   * With its quote, a provider that lost it may know it again. Throws UnknownPayment, InvalidField and the provider's errors.
   */
  read(quoteId: string, caller: string, quoteText: string | null): Promise<Report> {
    return inUsualForm(quoteId, async (id) => {
      const lost = await this.lostQuote(id, quoteText);
      return lost === null
        ? this.readStored(id, caller, quoteText)
        : this.readLost(id, caller, quoteText, lost);
    });
  }

  /** As `read`, of what the provider knows by the id alone; the quote is only compared. */
  readKnown(quoteId: string, caller: string, quoteText: string | null): Promise<Report> {
    return inUsualForm(quoteId, (id) => this.readStored(id, caller, quoteText));
  }

  /** As `read`, of what the provider knows by the quote alone. */
  restore(quoteId: string, caller: string, quoteText: string): Promise<Report> {
    return inUsualForm(quoteId, async (id) => {
      const lost = await this.lostQuote(id, quoteText);
      if (lost === null) throw new UnknownPayment();
      return this.readLost(id, caller, quoteText, lost);
    });
  }

  private async lostQuote(quoteId: string, quoteText: string | null): Promise<LostQuote | null> {
    return quoteText === null ? null : this.cell.provider.readLostQuote(quoteId, quoteText);
  }

  private async readStored(quoteId: string, caller: string, quoteText: string | null): Promise<Report> {
    await this.checkKnown(quoteId, quoteText !== null);
    const report = await this.reportWithin(quoteId, caller, () => this.ask(quoteId));
    if (quoteText !== null) checkDepositAddress(quoteId, quoteText, report.text);
    return report;
  }

  private async readLost(
    quoteId: string,
    caller: string,
    quoteText: string | null,
    lost: LostQuote,
  ): Promise<Report> {
    const report = await this.reportWithin(quoteId, caller, async () => {
      const answer = await lost.readStatus();
      void this.cell.rateLimit.charge(lost.extraRequests);
      return answer;
    });
    if (quoteText !== null) checkDepositAddress(quoteId, quoteText, report.text);
    await lost.keep();
    return report;
  }

  /** Within the provider's rate limit, and with its health. */
  private async reportWithin(
    quoteId: string,
    caller: string,
    ask: () => Promise<StatusAnswer>,
  ): Promise<Report> {
    const { isProbe } = await this.cell.rateLimit.takeOne(caller);
    if (isProbe) await this.cell.health.beginProbe();
    const startedAt = this.timers.nowMs();
    const answer = await ask();
    this.meter.requested(this.timers.nowMs() - startedAt);
    if (isProbe) this.cell.health.recordAnswer(quoteId, answer, 0);
    return this.reportOf(answer, quoteId);
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

/** A UUID in small letters first, as providers write it: a provider that repeats the id it was asked for names it so each time. */
async function inUsualForm(quoteId: string, read: (quoteId: string) => Promise<Report>): Promise<Report> {
  const usual = quoteIdKey(quoteId);
  try {
    return await read(usual);
  } catch (error) {
    if (usual === quoteId || !(error instanceof UnknownPayment)) throw error;
    return read(quoteId);
  }
}
