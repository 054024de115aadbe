import { Injectable } from '@nestjs/common';

import { Looker } from '../../ports/immediate-poll.ts';
import {
  PaymentProvider,
  ProviderCredentials,
  ProviderRefused,
  ProviderUnavailable,
  type StatusAnswer,
} from '../../ports/payment-provider.ts';
import { Meter } from '../../ports/meter.ts';
import { ProviderPace } from '../../ports/provider-limits.ts';
import { Schedule, type Look } from '../../ports/schedule.ts';
import { LookRecorder } from './poll-recorder.ts';
import { ProviderWatch } from './provider-circuit.ts';
import { TrackingRules } from './polling.settings.ts';

/** Looks at one payment on demand, under a claim like any other look. */
@Injectable()
export class ClaimingLooker extends Looker {
  constructor(
    private readonly schedule: Schedule,
    private readonly provider: PaymentProvider,
    private readonly recorder: LookRecorder,
    private readonly pace: ProviderPace,
    private readonly watch: ProviderWatch,
    private readonly meter: Meter,
    private readonly rules: TrackingRules,
  ) {
    super();
  }

  async lookNow(quoteId: string, gapMs: number, caller: string): Promise<'looked' | 'recent' | 'unknown'> {
    // First, without a request: whoever asks over and over about one payment uses up nothing.
    const ready = await this.schedule.readyForLook(quoteId, gapMs);
    if (ready !== 'ready') return ready;
    const { isProbe } = await this.pace.takeOne(caller);
    const claim = await this.schedule.claimNow(quoteId, gapMs, this.rules.leaseMs);
    if (claim === 'recent' || claim === 'unknown') {
      await this.pace.returnOne();
      return claim;
    }
    if (isProbe) await this.watch.probes();
    let answer = NO_ANSWER;
    let recorded: Promise<Look> | undefined;
    const startedAt = performance.now();
    await this.provider.readStatuses([quoteId], (_id, told) => {
      answer = told;
      recorded = this.recorder.record(claim, told);
      // A failure is for the caller below, who may not wait for it yet.
      recorded.catch(() => undefined);
      return recorded;
    });
    this.meter.requested(performance.now() - startedAt);
    const look = await (recorded ?? this.recorder.record(claim, answer));
    if (look.isSilent) throw failureOf(answer);
    return 'looked';
  }
}

const NO_ANSWER: StatusAnswer = {
  kind: 'unavailable',
  httpStatus: null,
  reason: 'no answer',
  retryAfterMs: null,
};

function failureOf(answer: StatusAnswer): Error {
  if (answer.kind === 'refused') return new ProviderRefused(answer.httpStatus, answer.message);
  if (answer.kind === 'credentials') return new ProviderCredentials();
  if (answer.kind === 'unavailable') return new ProviderUnavailable(answer.reason, answer.retryAfterMs);
  return new ProviderUnavailable('it answered about another quote');
}
