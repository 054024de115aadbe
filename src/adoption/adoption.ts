import { Injectable } from '@nestjs/common';

import type { Report } from '../domain/report.ts';
import { Clock } from '../ports/clock.ts';
import { Meter } from '../ports/meter.ts';
import {
  PaymentProvider,
  ProviderCredentials,
  ProviderRefused,
  ProviderUnavailable,
  type StatusAnswer,
} from '../ports/payment-provider.ts';
import { Payments } from '../ports/payments.ts';
import { ProviderPace } from '../ports/provider-pace.ts';
import { ProviderHealth } from '../ports/readiness.ts';
import { SingleFlight } from '../scheduling/single-flight.ts';
import { UnknownPayment } from './unknown-payment.ts';
import { UnknownQuotes } from './unknown-quotes.ts';

/** What the merchant attaches to a quote that was made elsewhere. */
export interface OrderFields {
  readonly orderId: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
}

const NO_ORDER: OrderFields = { orderId: null, metadata: null };

/** Takes quotes in that were made elsewhere: what the provider knows by this id is stored and tracked from then on. */
@Injectable()
export class Adoption {
  private readonly lookUps = new SingleFlight<Report>();
  private readonly unknown: UnknownQuotes;

  constructor(
    private readonly provider: PaymentProvider,
    private readonly payments: Payments,
    private readonly pace: ProviderPace,
    private readonly meter: Meter,
    private readonly health: ProviderHealth,
    clock: Clock,
  ) {
    this.unknown = new UnknownQuotes(clock);
  }

  /** `isNew` is false when it was stored meanwhile. Throws UnknownPayment and the provider's errors. */
  async adopt(quoteId: string, { orderId, metadata }: OrderFields = NO_ORDER): Promise<{ isNew: boolean }> {
    if (this.unknown.has(quoteId)) throw new UnknownPayment();
    const report = await this.lookUps.run(quoteId, () => this.lookUp(quoteId));
    const { expiresAt } = report;
    return this.payments.add({
      quoteId,
      orderId,
      metadata,
      expiresAt,
      expectedMs: null,
      quoteText: null,
      report,
    });
  }

  private async lookUp(quoteId: string): Promise<Report> {
    if (!(await this.provider.mayKnow(quoteId))) throw this.refusal(quoteId, 404, '');
    const { isProbe } = await this.pace.takeOne();
    if (isProbe) await this.health.probes();
    const answer = await this.ask(quoteId);
    if (isProbe) this.health.saw(quoteId, answer, 0);
    if (answer.kind === 'credentials') throw new ProviderCredentials();
    if (answer.kind === 'unavailable') throw new ProviderUnavailable(answer.reason, answer.retryAfterMs);
    if (answer.kind === 'refused') throw this.refusal(quoteId, answer.httpStatus, answer.message);
    // Stored for ever under this id: nothing less than the id itself will do.
    if (answer.report.quoteId !== quoteId) throw new ProviderUnavailable('it answered about another quote');
    return answer.report;
  }

  private async ask(quoteId: string): Promise<StatusAnswer> {
    let heard: StatusAnswer = {
      kind: 'unavailable',
      httpStatus: null,
      reason: 'it gave no answer',
      retryAfterMs: null,
    };
    const startedAt = performance.now();
    await this.provider.readStatuses([quoteId], (_id, answer) => {
      heard = answer;
    });
    this.meter.requested(performance.now() - startedAt);
    return heard;
  }

  private refusal(quoteId: string, httpStatus: 400 | 404 | 422, message: string): Error {
    if (httpStatus !== 404) return new ProviderRefused(httpStatus, message);
    this.unknown.add(quoteId);
    return new UnknownPayment();
  }
}
