import { Injectable, Logger } from '@nestjs/common';

import { Clock } from '../ports/clock.ts';
import { Meter, type PollOutcome } from '../ports/meter.ts';
import type { StatusAnswer } from '../ports/payment-provider.ts';
import { StoreUnavailable } from '../ports/payments.ts';
import { Schedule, type Claim, type Look } from '../ports/schedule.ts';
import { Batcher } from '../scheduling/batcher.ts';
import { ProviderWatch } from './provider-watch.ts';
import { isQuiet, takeLook, takeSilence } from './take-look.ts';
import { TrackingRules } from './tracking-rules.ts';

/** Judges answers and commits what they change, in groups. What was seen is kept until the database takes it. */
@Injectable()
export class LookRecorder {
  private readonly log = new Logger('Tracker');
  private readonly batcher: Batcher<Look>;

  constructor(
    private readonly schedule: Schedule,
    private readonly watch: ProviderWatch,
    private readonly meter: Meter,
    private readonly clock: Clock,
    private readonly rules: TrackingRules,
  ) {
    this.batcher = new Batcher<Look>(
      'Tracker',
      (looks) => this.commit(looks),
      (error) => error instanceof StoreUnavailable,
    );
  }

  /** How long the oldest look waits to be committed. */
  get waitedMs(): number {
    return this.batcher.waitedMs;
  }

  /** Settles once the look is committed, at once when there is nothing to commit. */
  async record(claim: Claim, answer: StatusAnswer): Promise<Look> {
    const isCharged = this.watch.saw(claim.payment.quoteId, answer);
    const look = takeLook(claim, answer, this.clock.now(), this.rules, isCharged);
    this.measure(look, answer);
    this.tell(look, answer);
    if (!isQuiet(look)) await this.batcher.add(look);
    return look;
  }

  /** The provider could not even be asked. */
  async recordSilence(claim: Claim, now: Date): Promise<void> {
    const look = takeSilence(claim, now, this.rules);
    this.tell(look, null);
    await this.batcher.add(look);
  }

  drain(giveUpMs: number): Promise<void> {
    return this.batcher.drain(giveUpMs);
  }

  private async commit(looks: readonly Look[]): Promise<void> {
    const overtaken = await this.schedule.record(looks);
    if (overtaken > 0) this.meter.overtaken(overtaken);
  }

  private measure(look: Look, answer: StatusAnswer): void {
    this.meter.polled(outcomeOf(look, answer));
    const { payment, answeredAgoMs } = look.claim;
    const isMoved = look.payment.status !== payment.status;
    if (isMoved && answeredAgoMs !== null) this.meter.detected(look.payment.status, answeredAgoMs);
  }

  private tell(look: Look, answer: StatusAnswer | null): void {
    const { quoteId } = look.claim.payment;
    if (answer?.kind === 'report' && look.isSilent)
      this.log.warn(`${quoteId}: refused a report about another quote`);
    for (const event of look.events) {
      this.log.log(
        `${quoteId}: ${event.type} #${event.sequence}${event.reason === undefined ? '' : ` (${event.reason})`}`,
      );
    }
  }
}

function outcomeOf(look: Look, answer: StatusAnswer): PollOutcome {
  if (answer.kind === 'report') {
    if (look.isSilent) return 'foreign';
    return look.events.length > 0 ? 'changed' : 'unchanged';
  }
  if (answer.kind === 'unavailable') return answer.httpStatus === 429 ? 'throttled' : 'unavailable';
  return answer.kind;
}
