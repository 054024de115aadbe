import { Injectable, Logger } from '@nestjs/common';

import { Clock } from '../ports/clock.ts';
import { Meter, type PollOutcome } from '../ports/meter.ts';
import type { StatusAnswer } from '../ports/payment-provider.ts';
import { StoreUnavailable } from '../ports/payments.ts';
import { Schedule, type Claim, type DueClaim, type Look } from '../ports/schedule.ts';
import { Batcher } from '../scheduling/batcher.ts';
import { ProviderWatch } from './provider-watch.ts';
import { isQuiet, takeLook, takeSilence } from './take-look.ts';
import { TrackingRules } from './tracking-rules.ts';

/** An answer that may have to be recorded; judged once its payment was read. */
interface Heard {
  readonly due: DueClaim;
  readonly answer: StatusAnswer;
  readonly isCharged: boolean;
  readonly at: Date;
  look: Look | null;
}

/** Judges answers and commits what they change, in groups. What was seen is kept until the database takes it. */
@Injectable()
export class LookRecorder {
  private readonly log = new Logger('Tracker');
  private readonly batcher: Batcher<Heard | Look>;

  constructor(
    private readonly schedule: Schedule,
    private readonly watch: ProviderWatch,
    private readonly meter: Meter,
    private readonly clock: Clock,
    private readonly rules: TrackingRules,
  ) {
    this.batcher = new Batcher<Heard | Look>(
      'Tracker',
      (group) => this.commit(group),
      (error) => error instanceof StoreUnavailable,
    );
  }

  /** How long the oldest look waits to be committed. */
  get waitedMs(): number {
    return this.batcher.waitedMs;
  }

  /** Settles once what the answer changes is committed, at once when it tells nothing new. */
  async hear(due: DueClaim, answer: StatusAnswer): Promise<void> {
    const isCharged = this.watch.saw(due.quoteId, answer, due.failures);
    const isKnown = answer.kind === 'report' && answer.report.mark === due.knownMark;
    if (isKnown) return this.meter.polled('unchanged');
    await this.batcher.add({ due, answer, isCharged, at: this.clock.now(), look: null });
  }

  /** The same for a caller who waits for what it comes to. */
  async record(claim: Claim, answer: StatusAnswer): Promise<Look> {
    const isCharged = this.watch.saw(claim.quoteId, answer, claim.failures);
    const look = this.judge(claim, { answer, isCharged, at: this.clock.now() });
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

  private async commit(group: readonly (Heard | Look)[]): Promise<void> {
    await this.judgeAll(group.filter(isUnjudged));
    const looks = group.flatMap((each) => lookOf(each) ?? []);
    const telling = looks.filter((look) => !isQuiet(look));
    const overtaken = telling.length === 0 ? 0 : await this.schedule.record(telling);
    if (overtaken > 0) this.meter.overtaken(overtaken);
  }

  /** Each once, however often the group is tried: what is told of a look is told once. */
  private async judgeAll(heard: readonly Heard[]): Promise<void> {
    if (heard.length === 0) return;
    const claims = await this.schedule.read(heard.map(({ due }) => due));
    const byToken = new Map(claims.map((claim) => [keyOf(claim), claim]));
    for (const each of heard) {
      const claim = byToken.get(keyOf(each.due));
      if (claim !== undefined) each.look = this.judge(claim, each);
    }
  }

  private judge(claim: Claim, { answer, isCharged, at }: Pick<Heard, 'answer' | 'isCharged' | 'at'>): Look {
    const look = takeLook(claim, answer, at, this.rules, isCharged);
    this.meter.polled(outcomeOf(look, answer));
    const isMoved = look.payment.status !== claim.payment.status;
    if (isMoved && claim.answeredAgoMs !== null)
      this.meter.detected(look.payment.status, claim.answeredAgoMs);
    this.tell(look, answer);
    return look;
  }

  private tell(look: Look, answer: StatusAnswer | null): void {
    const { quoteId } = look.claim;
    if (answer?.kind === 'report' && look.isSilent)
      this.log.warn(`${quoteId}: refused a report about another quote`);
    for (const { type, sequence, reason } of look.events) {
      this.log.log(`${quoteId}: ${type} #${sequence}${reason === undefined ? '' : ` (${reason})`}`);
    }
  }
}

function isUnjudged(each: Heard | Look): each is Heard {
  return 'due' in each && each.look === null;
}

function lookOf(each: Heard | Look): Look | null {
  return 'due' in each ? each.look : each;
}

/** Two looks at one payment may share a group: the payment alone does not tell them apart. */
function keyOf({ paymentId, token }: DueClaim): string {
  return `${paymentId}#${token}`;
}

function outcomeOf(look: Look, answer: StatusAnswer): PollOutcome {
  if (answer.kind === 'report') {
    if (look.isSilent) return 'foreign';
    return look.events.length > 0 ? 'changed' : 'unchanged';
  }
  if (answer.kind === 'unavailable') return answer.httpStatus === 429 ? 'throttled' : 'unavailable';
  return answer.kind;
}
