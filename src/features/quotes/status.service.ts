import { setTimeout as sleep } from 'node:timers/promises';

import { Injectable } from '@nestjs/common';

import { Adoption } from '../adoption/adoption.ts';
import { withVerification } from '../../domain/payment/shown-report.ts';
import { ProviderCells } from '../../ports/provider-cell.ts';
import { ProviderUnavailable } from '../../ports/payment-provider.ts';
import { PaymentRemoved, Payments, type StoredPayment } from '../../ports/payments.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { QuotesSettings } from './quotes.settings.ts';

export interface LastReport {
  /** The spec's Payment status object, verbatim; with VERIFY and from its completion on it has `verification` too. */
  readonly text: string;
  readonly reportedAt: Date | null;
}

/** Returns a payment's last report from the database; if there is none, concurrent requests share one poll of the provider. */
@Injectable()
export class StatusService {
  private readonly firstReads = new SharedWork<LastReport>();

  constructor(
    private readonly payments: Payments,
    private readonly cells: ProviderCells,
    private readonly adoption: Adoption,
    private readonly settings: QuotesSettings,
  ) {}

  /**
   * `caller` is the client whose share of scarce requests a poll uses. Throws UnknownPayment, PaymentRemoved, the provider's
   * errors and StoreUnavailable.
   */
  async read(quoteId: string, caller: string): Promise<LastReport> {
    const payment = await this.payments.read(quoteId);
    if (payment === 'removed') return this.adoption.readRemoved(quoteId, caller);
    const isKnown = payment !== 'unknown';
    const report = isKnown ? lastReportOf(payment) : null;
    if (report !== null) {
      // The client's customer may be about to pay, or has just paid.
      if (isKnown) this.cells.find(payment.provider)?.pollRequests.hint(payment.quoteId);
      return report;
    }
    // Requests of one API key share a poll; requests of another key do not wait for this key's share.
    return this.firstReads.run(`${caller} ${quoteId}`, () =>
      isKnown ? this.pollFirst(payment, caller) : this.adopt(quoteId, caller),
    );
  }

  private async adopt(quoteId: string, caller: string): Promise<LastReport> {
    try {
      const { quoteId: storedId } = await this.adoption.adopt(quoteId, caller);
      return await this.stored(storedId);
    } catch (error) {
      if (error instanceof PaymentRemoved) return this.adoption.readRemoved(quoteId, caller);
      throw error;
    }
  }

  private async pollFirst({ quoteId, provider }: StoredPayment, caller: string): Promise<LastReport> {
    const { pollRequests } = this.cells.of(provider);
    const outcome = await pollRequests.pollNow(quoteId, this.settings.minGapMs, caller);
    return outcome === 'recent' ? this.awaitOther(quoteId) : this.stored(quoteId);
  }

  /** Waits for another replica's poll, which may also have failed just now. */
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
    throw new ProviderUnavailable('it has not reported this payment yet', this.settings.minGapMs);
  }
}

function lastReportOf(payment: StoredPayment | null): LastReport | null {
  if (payment === null || payment.reportText === null) return null;
  const { reportText, reportedAt, verification } = payment;
  const text = verification === null ? reportText : withVerification(reportText, verification);
  return { text, reportedAt };
}
