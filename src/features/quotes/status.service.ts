import { setTimeout as sleep } from 'node:timers/promises';

import { Injectable } from '@nestjs/common';

import { Adoption } from '../adoption/adoption.ts';
import { Attention } from '../../ports/attention.ts';
import { ImmediatePoll } from '../../ports/immediate-poll.ts';
import { ProviderUnavailable } from '../../ports/payment-provider.ts';
import { PaymentRemoved, Payments, type StoredPayment } from '../../ports/payments.ts';
import { SingleFlight } from '../../platform/scheduling/single-flight.ts';
import { QuotesSettings } from './quotes.settings.ts';

export interface LastReport {
  /** The spec's Payment status object, verbatim. */
  readonly text: string;
  readonly reportedAt: Date | null;
}

/** Tells how a payment stands: from the store, and only where that has nothing yet from the provider, once for all. */
@Injectable()
export class StatusService {
  private readonly firstReads = new SingleFlight<LastReport>();

  constructor(
    private readonly payments: Payments,
    private readonly immediatePoll: ImmediatePoll,
    private readonly adoption: Adoption,
    private readonly attention: Attention,
    private readonly settings: QuotesSettings,
  ) {}

  /** `caller` is charged for a look while requests are scarce. Throws UnknownPayment, PaymentRemoved, the provider's errors and StoreUnavailable. */
  async read(quoteId: string, caller: string): Promise<LastReport> {
    const payment = await this.payments.find(quoteId);
    const report = lastReportOf(payment);
    if (report !== null) return this.attended(quoteId, report);
    // One look for all who ask with one key: what another key has to wait for is no matter of theirs.
    return this.firstReads.run(`${caller} ${quoteId}`, () =>
      payment === null ? this.adopt(quoteId, caller) : this.pollFirst(quoteId, caller),
    );
  }

  /** Who asks may be about to pay, or has just paid. */
  private attended(quoteId: string, report: LastReport): LastReport {
    this.attention.hint(quoteId);
    return report;
  }

  private async adopt(quoteId: string, caller: string): Promise<LastReport> {
    try {
      await this.adoption.adopt(quoteId, caller);
    } catch (error) {
      if (error instanceof PaymentRemoved) return this.adoption.readRemoved(quoteId, caller);
      throw error;
    }
    return this.stored(quoteId);
  }

  private async pollFirst(quoteId: string, caller: string): Promise<LastReport> {
    const outcome = await this.immediatePoll.pollNow(quoteId, this.settings.minGapMs, caller);
    return outcome === 'recent' ? this.awaitOther(quoteId) : this.stored(quoteId);
  }

  /** Another replica is looking, or has just looked in vain. */
  private async awaitOther(quoteId: string): Promise<LastReport> {
    const giveUpAtMs = performance.now() + this.settings.reportWaitMs;
    while (performance.now() < giveUpAtMs) {
      const report = lastReportOf(await this.payments.find(quoteId));
      if (report !== null) return report;
      await sleep(this.settings.reportPollMs);
    }
    return this.stored(quoteId);
  }

  private async stored(quoteId: string): Promise<LastReport> {
    const report = lastReportOf(await this.payments.find(quoteId));
    if (report !== null) return report;
    throw new ProviderUnavailable('it has not told anything about this payment yet', this.settings.minGapMs);
  }
}

function lastReportOf(payment: StoredPayment | null): LastReport | null {
  if (payment === null || payment.reportText === null) return null;
  return { text: payment.reportText, reportedAt: payment.reportedAt };
}
