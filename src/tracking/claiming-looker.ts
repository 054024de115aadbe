import { Injectable } from '@nestjs/common';

import { Looker } from '../ports/looker.ts';
import {
  PaymentProvider,
  ProviderCredentials,
  ProviderRefused,
  ProviderUnavailable,
  type StatusAnswer,
} from '../ports/payment-provider.ts';
import { Schedule } from '../ports/schedule.ts';
import { LookRecorder } from './look-recorder.ts';
import { ProviderWatch } from './provider-watch.ts';
import { TrackingRules } from './tracking-rules.ts';

/** Looks at one payment on demand, under a claim like any other look. */
@Injectable()
export class ClaimingLooker extends Looker {
  constructor(
    private readonly schedule: Schedule,
    private readonly provider: PaymentProvider,
    private readonly recorder: LookRecorder,
    private readonly watch: ProviderWatch,
    private readonly rules: TrackingRules,
  ) {
    super();
  }

  async lookNow(quoteId: string, gapMs: number): Promise<'looked' | 'recent' | 'unknown'> {
    await this.takeBudget(1);
    const claim = await this.schedule.claimNow(quoteId, gapMs, this.rules.leaseMs);
    if (claim === 'recent' || claim === 'unknown') {
      await this.takeBudget(-1);
      return claim;
    }
    const answer = await this.ask(quoteId);
    this.watch.saw(answer);
    const look = await this.recorder.record(claim, answer);
    if (look.isSilent) throw failureOf(answer);
    return 'looked';
  }

  /** A look on demand is a request like any other. */
  private async takeBudget(requests: number): Promise<void> {
    const { maxRpm } = this.provider.limits;
    if (maxRpm === 0) return;
    const taken = await this.schedule.takeBudget(requests, maxRpm);
    if (taken < requests) throw new ProviderUnavailable('the request budget is used up', 60_000 / maxRpm);
  }

  private async ask(quoteId: string): Promise<StatusAnswer> {
    let answer: StatusAnswer = { kind: 'unavailable', reason: 'no answer', retryAfterMs: null };
    await this.provider.readStatuses([quoteId], (_id, told) => {
      answer = told;
    });
    return answer;
  }
}

function failureOf(answer: StatusAnswer): Error {
  if (answer.kind === 'refused') return new ProviderRefused(answer.httpStatus, answer.message);
  if (answer.kind === 'credentials') return new ProviderCredentials();
  if (answer.kind === 'unavailable') return new ProviderUnavailable(answer.reason, answer.retryAfterMs);
  return new ProviderUnavailable('it answered about another quote');
}
