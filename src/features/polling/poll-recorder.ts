import { Injectable, Logger } from '@nestjs/common';

import { loggedOrderId, ofOrder } from '../../domain/text/log-context.ts';
import { Clock } from '../../ports/clock.ts';
import { Meter, type PollOutcome } from '../../ports/meter.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import { StoreUnavailable } from '../../ports/payments.ts';
import { Schedule, type Claim, type DueClaim, type Look, type Recorded } from '../../ports/schedule.ts';
import { Batcher } from '../../platform/scheduling/batcher.ts';
import { ProviderWatch } from './provider-circuit.ts';
import { isQuiet, takeLook, takeSilence } from './apply-poll.ts';
import { TrackingRules } from './polling.settings.ts';

/** Only replicas of a former release label a payment without taking turns: the next look sees it again. */
const MAX_JUDGEMENTS = 5;

/** What may have to be recorded; judged once its payment was read. */
interface Heard {
  readonly due: DueClaim;
  /** Null: the provider could not even be asked. */
  readonly answer: StatusAnswer | null;
  readonly isCharged: boolean;
  readonly at: Date;
  look: Look | null;
  /** Its claim, or another of its group, was taken over: the look may have been dropped. */
  mayBeDropped: boolean;
}

/** Judges answers and commits what they change, in groups. What was seen is kept until the database takes it. */
@Injectable()
export class LookRecorder {
  private readonly log = new Logger('Tracker');
  private readonly batcher: Batcher<Heard>;

  constructor(
    private readonly schedule: Schedule,
    private readonly watch: ProviderWatch,
    private readonly meter: Meter,
    private readonly clock: Clock,
    private readonly rules: TrackingRules,
  ) {
    this.batcher = new Batcher<Heard>(
      'Tracker',
      (group) => this.commit(group),
      (error) => error instanceof StoreUnavailable,
    );
  }

  /** How long the oldest look waits to be committed. */
  get waitedMs(): number {
    return this.batcher.waitedMs;
  }

  /** Settles once what the answer changes is committed, at once when it tells nothing new; false: it may be dropped. */
  async hear(due: DueClaim, answer: StatusAnswer): Promise<boolean> {
    const isCharged = this.watch.saw(due.quoteId, answer, due.failures);
    const isKnown = answer.kind === 'report' && answer.report.mark === due.knownMark;
    if (isKnown) {
      this.meter.polled('unchanged');
      return true;
    }
    const heard = { due, answer, isCharged, ...this.unjudged() };
    await this.batcher.add(heard);
    return !heard.mayBeDropped;
  }

  /** The same for a caller who waits for what it comes to. */
  async record(claim: Claim, answer: StatusAnswer): Promise<Look> {
    const isCharged = this.watch.saw(claim.quoteId, answer, claim.failures);
    return this.settle(claim, { due: claim, answer, isCharged, ...this.unjudged() });
  }

  /** The provider could not even be asked. */
  async recordSilence(claim: Claim, now: Date): Promise<void> {
    await this.settle(claim, { due: claim, answer: null, isCharged: false, ...this.unjudged(now) });
  }

  drain(giveUpMs: number): Promise<void> {
    return this.batcher.drain(giveUpMs);
  }

  private unjudged(at = this.clock.now()): Pick<Heard, 'at' | 'look' | 'mayBeDropped'> {
    return { at, look: null, mayBeDropped: false };
  }

  /** Answers the look as it was committed. */
  private async settle(claim: Claim, heard: Heard): Promise<Look> {
    const look = this.judge(claim, heard);
    heard.look = look;
    if (!isQuiet(look)) await this.batcher.add(heard);
    return heard.look;
  }

  private async commit(group: readonly Heard[]): Promise<void> {
    const unjudged = group.filter(({ look }) => look === null);
    this.judgeAll(unjudged, await this.schedule.read(unjudged.map(({ due }) => due)));
    let telling = group.filter(({ look }) => look !== null && !isQuiet(look));
    for (let judged = 1; telling.length > 0; judged += 1) {
      const { overtaken, outdated } = await this.write(telling, judged > 1);
      if (overtaken > 0) this.noteDropped(group, overtaken);
      telling = telling.filter(({ look }) => look !== null && outdated.includes(look));
      if (judged === MAX_JUDGEMENTS) return this.noteDropped(telling, 0);
    }
  }

  /** What the provider said holds, whatever has happened to the payments since they were read. */
  private write(telling: readonly Heard[], isOutdated: boolean): Promise<Recorded> {
    if (!isOutdated) return this.schedule.record(telling.flatMap(({ look }) => look ?? []));
    const claims = telling.map(({ due }) => due);
    return this.schedule.recordAnew(claims, (read) => this.judgeAll(telling, read));
  }

  private noteDropped(group: readonly Heard[], overtaken: number): void {
    if (overtaken > 0) this.meter.overtaken(overtaken);
    for (const each of group) each.mayBeDropped = true;
  }

  /** By the payments as they were read; answers the looks at those that are still there. */
  private judgeAll(heard: readonly Heard[], claims: readonly Claim[]): Look[] {
    const byToken = new Map(claims.map((claim) => [keyOf(claim), claim]));
    return heard.flatMap((each) => {
      const claim = byToken.get(keyOf(each.due));
      return claim === undefined ? [] : [(each.look = this.judge(claim, each))];
    });
  }

  private judge(claim: Claim, { answer, isCharged, at, look: outdated }: Heard): Look {
    const look =
      answer === null
        ? takeSilence(claim, at, this.rules)
        : takeLook(claim, answer, at, this.rules, isCharged);
    // Measured once, however often it is judged.
    if (answer !== null && outdated === null) this.measure(claim, look, answer);
    this.tell(look, answer);
    return look;
  }

  private measure(claim: Claim, look: Look, answer: StatusAnswer): void {
    this.meter.polled(outcomeOf(look, answer));
    const isMoved = look.payment.status !== claim.payment.status;
    if (isMoved && claim.answeredAgoMs !== null)
      this.meter.detected(look.payment.status, claim.answeredAgoMs);
  }

  private tell(look: Look, answer: StatusAnswer | null): void {
    const { quoteId } = look.claim;
    const { orderId } = look.payment;
    const fields = { quoteId, ...(orderId === null ? {} : { orderId: loggedOrderId(orderId) }) };
    if (answer?.kind === 'report' && look.isSilent)
      this.log.warn(`${quoteId}: refused a report about another quote${ofOrder(orderId)}`, fields);
    for (const { type, sequence, reason } of look.events) {
      const why = reason === undefined ? '' : ` (${reason})`;
      const line = `${quoteId}: ${type} #${sequence}${why}${ofOrder(orderId)}`;
      this.log.log(line, { ...fields, type, sequence });
    }
  }
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
