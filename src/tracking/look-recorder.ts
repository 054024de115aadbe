import { Injectable, Logger } from '@nestjs/common';

import { Clock } from '../ports/clock.ts';
import type { StatusAnswer } from '../ports/payment-provider.ts';
import { StoreUnavailable } from '../ports/payments.ts';
import { Schedule, type Claim, type Look } from '../ports/schedule.ts';
import { Batcher } from '../scheduling/batcher.ts';
import { isQuiet, takeLook } from './take-look.ts';
import { TrackingRules } from './tracking-rules.ts';

/** Judges answers and commits what they change, in groups. What was seen is kept until the database takes it. */
@Injectable()
export class LookRecorder {
  private readonly log = new Logger('Tracker');
  private readonly batcher: Batcher<Look>;

  constructor(
    schedule: Schedule,
    private readonly clock: Clock,
    private readonly rules: TrackingRules,
  ) {
    this.batcher = new Batcher<Look>(
      'Tracker',
      (looks) => schedule.record(looks),
      (error) => error instanceof StoreUnavailable,
    );
  }

  /** How long the oldest look waits to be committed. */
  get waitedMs(): number {
    return this.batcher.waitedMs;
  }

  /** Settles once the look is committed, at once when there is nothing to commit. */
  async record(claim: Claim, answer: StatusAnswer): Promise<Look> {
    const look = takeLook(claim, answer, this.clock.now(), this.rules);
    this.tell(look, answer);
    if (!isQuiet(look)) await this.batcher.add(look);
    return look;
  }

  drain(giveUpMs: number): Promise<void> {
    return this.batcher.drain(giveUpMs);
  }

  private tell(look: Look, answer: StatusAnswer): void {
    const { quoteId } = look.claim.payment;
    if (answer.kind === 'report' && look.isSilent)
      this.log.warn(`${quoteId}: refused a report about another quote`);
    for (const event of look.events) {
      this.log.log(
        `${quoteId}: ${event.type} #${event.sequence}${event.reason === undefined ? '' : ` (${event.reason})`}`,
      );
    }
  }
}
