import { applyReport } from '../../../src/domain/payment/apply-report.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { ImmediatePoll } from '../../../src/ports/immediate-poll.ts';
import type { PaymentProvider } from '../../../src/ports/payment-provider.ts';
import {
  ProviderCredentials,
  ProviderRefused,
  ProviderUnavailable,
} from '../../../src/ports/payment-provider.ts';
import type { Schedule } from '../../../src/ports/schedule.ts';

/** Looks under a claim of the schedule, as the tracker does. */
export class FakeImmediatePoll extends ImmediatePoll {
  readonly polls: { quoteId: string; gapMs: number; caller: string }[] = [];

  constructor(
    private readonly schedule: Schedule,
    private readonly provider: PaymentProvider,
    private readonly clock: Clock,
  ) {
    super();
  }

  async pollNow(quoteId: string, gapMs: number, caller: string): Promise<'polled' | 'recent' | 'unknown'> {
    this.polls.push({ quoteId, gapMs, caller });
    const claim = await this.schedule.claimNow(quoteId, gapMs, 30_000);
    if (claim === 'recent' || claim === 'unknown') return claim;
    await this.provider.readStatuses([quoteId], (_id, answer) => {
      if (answer.kind === 'unavailable') throw new ProviderUnavailable(answer.reason, answer.retryAfterMs);
      if (answer.kind === 'credentials') throw new ProviderCredentials();
      if (answer.kind === 'refused') throw new ProviderRefused(answer.httpStatus, answer.message);
      const transition = applyReport(claim.payment, answer.report, this.clock.now(), {
        stalledAfterMs: 900_000,
      });
      const next = { inMs: 7_000, urgency: 1 } as const;
      void this.schedule.record([{ claim, ...transition, next, isSilent: false, isCharged: false }]);
    });
    return 'polled';
  }
}
