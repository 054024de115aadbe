import { quoteIdKey } from '../../domain/payment/reading.ts';
import type { Report } from '../../domain/payment/report.ts';
import { ProviderMeter } from '../../ports/meter.ts';
import {
  type LostQuote,
  ProviderCredentials,
  type ProviderLimits,
  ProviderRefused,
  ProviderUnavailable,
  type StatusAnswer,
} from '../../ports/payment-provider.ts';
import type { ProviderCell } from '../../ports/provider-cell.ts';
import { Timers } from '../../ports/timers.ts';
import type { AskedProvider, Asker } from './asker.ts';
import { checkDepositAddress } from './check-deposit-address.ts';
import { ShortCache } from './short-cache.ts';
import { UnknownPayment } from './unknown-payment.ts';

const MAX_UNKNOWN = 1_000;
const NO_ANSWER: StatusAnswer = {
  kind: 'unavailable',
  httpStatus: null,
  reason: 'no answer',
  retryAfterMs: null,
};

/** Asks one provider for reports about quotes that Paybell does not store. */
export class ForeignQuotes implements AskedProvider {
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

  get limits(): ProviderLimits {
    return this.cell.provider.limits;
  }

  /**
   * With the quote object, a provider that lost the quote may restore it. Throws UnknownPayment, InvalidField and the
   * provider's errors.
   */
  read(quoteId: string, asker: Asker, quoteText: string | null): Promise<Report> {
    return inUsualForm(quoteId, async (id) => {
      const lost = await this.lostQuote(id, quoteText);
      return lost === null
        ? this.readStored(id, asker, quoteText)
        : this.readLost(id, asker, quoteText, lost);
    });
  }

  /** Does the same as `read`, for quotes that the provider knows by id; the quote object is only compared. */
  readKnown(quoteId: string, asker: Asker, quoteText: string | null): Promise<Report> {
    return inUsualForm(quoteId, (id) => this.readStored(id, asker, quoteText));
  }

  /** Does the same as `read`, for quotes that the provider can restore only from the quote object. */
  restore(quoteId: string, asker: Asker, quoteText: string): Promise<Report> {
    return inUsualForm(quoteId, async (id) => {
      const lost = await this.lostQuote(id, quoteText);
      if (lost === null) throw new UnknownPayment();
      return this.readLost(id, asker, quoteText, lost);
    });
  }

  /** Asks about at most `limits.batchSize` ids. Throws as Asker.takeOne does. */
  askTogether(quoteIds: readonly string[], asker: Asker): Promise<readonly StatusAnswer[]> {
    return this.askWithin(asker, quoteIds, async () => {
      const answers = new Map<string, StatusAnswer>();
      const extra = await this.cell.provider.readStatuses(quoteIds, (quoteId, answer) => {
        answers.set(quoteId, answer);
      });
      void this.cell.rateLimit.charge(extra ?? 0);
      return quoteIds.map((quoteId) => answers.get(quoteId) ?? NO_ANSWER);
    });
  }

  private async lostQuote(quoteId: string, quoteText: string | null): Promise<LostQuote | null> {
    return quoteText === null ? null : this.cell.provider.readLostQuote(quoteId, quoteText);
  }

  private async readStored(quoteId: string, asker: Asker, quoteText: string | null): Promise<Report> {
    await this.checkKnown(quoteId, quoteText !== null);
    const report = this.reportOf(await asker.ask(this, quoteId), quoteId);
    if (quoteText !== null) checkDepositAddress(quoteId, quoteText, report.text);
    return report;
  }

  private async readLost(
    quoteId: string,
    asker: Asker,
    quoteText: string | null,
    lost: LostQuote,
  ): Promise<Report> {
    const [answer] = await this.askWithin(asker, [quoteId], async () => {
      const answered = await lost.readStatus();
      void this.cell.rateLimit.charge(lost.extraRequests);
      return [answered];
    });
    const report = this.reportOf(answer ?? NO_ANSWER, quoteId);
    if (quoteText !== null) checkDepositAddress(quoteId, quoteText, report.text);
    await lost.keep();
    return report;
  }

  /** Takes one request of the provider's rate limit, and records the answer for its health. */
  private askWithin(
    asker: Asker,
    quoteIds: readonly string[],
    ask: () => Promise<readonly StatusAnswer[]>,
  ): Promise<readonly StatusAnswer[]> {
    return asker.inTurn(async () => {
      const { isProbe } = await asker.takeOne(this.cell.rateLimit);
      if (isProbe) await this.cell.health.beginProbe();
      const startedAt = this.timers.nowMs();
      const answers = await ask();
      this.meter.requested(this.timers.nowMs() - startedAt);
      if (isProbe) this.cell.health.recordAnswer(quoteIds[0] ?? '', answers[0] ?? NO_ANSWER, 0);
      return answers;
    });
  }

  /** Throws UnknownPayment for an id that needs no request. */
  private async checkKnown(quoteId: string, hasQuote: boolean): Promise<void> {
    if (!hasQuote && this.unknown.get(quoteId)) throw new UnknownPayment();
    if (!(await this.cell.provider.mayKnow(quoteId))) throw this.refusal(quoteId, 404, '');
  }

  private reportOf(answer: StatusAnswer, quoteId: string): Report {
    if (answer.kind === 'credentials') throw new ProviderCredentials();
    if (answer.kind === 'unavailable') throw new ProviderUnavailable(answer.reason, answer.retryAfterMs);
    if (answer.kind === 'refused') throw this.refusal(quoteId, answer.httpStatus, answer.message);
    // This report is stored for ever under its id, so that a report without an id is refused here.
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

/**
 * Tries a UUID in lower case first, as providers write it: a provider that repeats the requested id then always spells it in
 * the same way.
 */
async function inUsualForm(quoteId: string, read: (quoteId: string) => Promise<Report>): Promise<Report> {
  const usual = quoteIdKey(quoteId);
  try {
    return await read(usual);
  } catch (error) {
    if (usual === quoteId || !(error instanceof UnknownPayment)) throw error;
    return read(quoteId);
  }
}
