import { readReport, type Report } from '../../src/domain/payment/report.ts';
import type { Status } from '../../src/domain/payment/status.ts';
import { PaymentProvider, type ProviderLimits, type StatusAnswer } from '../../src/ports/payment-provider.ts';
import type { Life } from './lives.ts';
import { PROVIDER_TIMEOUT_MS, type Answer, type SimulatedProvider } from './simulated-provider.ts';

/** Asks the simulated provider by Paybell's port; the simulation needs only the polls. */
export class PolledProvider extends PaymentProvider {
  readonly name = 'simulated';
  readonly limits: ProviderLimits;
  private readonly reports = new Map<Status, Report>();

  constructor(
    private readonly provider: SimulatedProvider,
    maxRpm: number,
    private readonly lifeOf: (quoteId: string) => Life,
    private readonly watch: {
      readonly asked: (life: Life) => void;
      readonly answered: (life: Life, answer: Answer) => void;
    },
  ) {
    super();
    this.limits = { maxConcurrency: 64, batchSize: 1, timeoutMs: PROVIDER_TIMEOUT_MS, maxRpm };
  }

  async readStatuses(
    quoteIds: readonly string[],
    onAnswer: (quoteId: string, answer: StatusAnswer) => unknown,
  ): Promise<void> {
    await Promise.all(quoteIds.map((quoteId) => this.readStatus(quoteId, onAnswer)));
  }

  createQuote(): never {
    throw notSimulated();
  }

  readChains(): never {
    throw notSimulated();
  }

  searchCurrencies(): never {
    throw notSimulated();
  }

  private readStatus(
    quoteId: string,
    onAnswer: (quoteId: string, answer: StatusAnswer) => unknown,
  ): Promise<void> {
    const life = this.lifeOf(quoteId);
    this.watch.asked(life);
    return new Promise((resolve) => {
      this.provider.ask(life, (answer) => {
        this.watch.answered(life, answer);
        onAnswer(quoteId, this.statusAnswerOf(answer));
        resolve();
      });
    });
  }

  private statusAnswerOf(answer: Answer): StatusAnswer {
    if (answer.kind === 'status') return { kind: 'report', report: this.reportOf(answer.status) };
    const [httpStatus, retryAfterMs] =
      answer.kind === 'refused' ? [429, answer.retryAfterMs] : [answer.httpStatus, null];
    return { kind: 'unavailable', reason: `status ${httpStatus}`, httpStatus, retryAfterMs };
  }

  private reportOf(status: Status): Report {
    const known = this.reports.get(status);
    if (known !== undefined) return known;
    const report = readReport({ status }, JSON.stringify({ status })) as Report;
    this.reports.set(status, report);
    return report;
  }
}

function notSimulated(): Error {
  return new Error('the simulation only polls');
}
