import { Logger } from '@nestjs/common';

import { Clock } from '../../ports/clock.ts';
import type { Meter, ProviderMeter } from '../../ports/meter.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import { StoreUnavailable } from '../../ports/payments.ts';
import { Schedule, type Claim, type DueClaim, type Poll, type RecordOutcome } from '../../ports/schedule.ts';
import { Timers } from '../../ports/timers.ts';
import { logWithin, Tracer, UNTRACED } from '../../ports/tracer.ts';
import { Batcher, RESULTS } from '../../platform/scheduling/batcher.ts';
import type { DeliverySignals } from '../../platform/scheduling/delivery-signals.ts';
import { ProviderCircuit } from './provider-circuit.ts';
import {
  applyPoll,
  applyUnaskedPoll,
  countedFromRequest,
  keepsSchedule,
  repeatsStoredReport,
  changesNothing,
  type AnsweredPoll,
  endSpan,
  logPoll,
  outcomeOf,
} from './apply-poll.ts';
import { PollingSettings } from './polling.settings.ts';

/** A poll that waits longer for its commit shows that the database is slow or away. */
const BEHIND_MS = 300;
/** How often a poll is judged before it is dropped as outdated: the payment is polled again. */
const MAX_JUDGEMENTS = 5;
/** No caller waits for the consequences of a repeated report, and every lease outlasts this wait. */
const REPEATED = { gatherMs: 500, maxBatch: 500, isPatient: true };

/** Events are counted together, polls by provider. */
export interface PollMeters {
  readonly all: Meter;
  readonly own: ProviderMeter;
}

/** Judges answers and commits the changed payments in groups. While the database is away, it keeps and retries them. */
export class PollRecorder {
  private readonly log = new Logger('Tracker');
  private readonly batcher: Batcher<AnsweredPoll>;
  /** Answers that repeat the stored report, and that have consequences only because time has passed. */
  private readonly repeated: Batcher<AnsweredPoll>;

  constructor(
    private readonly schedule: Schedule,
    private readonly deliveries: DeliverySignals,
    private readonly circuit: ProviderCircuit,
    private readonly meters: PollMeters,
    private readonly clock: Clock,
    private readonly timers: Timers,
    private readonly settings: PollingSettings,
    private readonly tracer: Tracer = UNTRACED,
  ) {
    const commit = async (group: readonly AnsweredPoll[]): Promise<void> => {
      await this.commit(group);
      for (const each of group) if (each.span !== null) endSpan(each.span, each);
    };
    const policy = { name: 'Tracker', isTransient, timers };
    this.batcher = new Batcher(commit, { ...RESULTS, ...policy });
    this.repeated = new Batcher(commit, { ...REPEATED, ...policy });
  }

  /** True while polls wait for a database that is slow or away. */
  get isBehind(): boolean {
    return Math.max(this.batcher.waitedMs, this.repeated.waitedMs) > BEHIND_MS;
  }

  /** The provider has repeated the report that is stored. */
  recordUnchanged(due: DueClaim): void {
    this.circuit.recordSuccess();
    this.meters.own.polled('unchanged', due.urgency);
  }

  /** Resolves once the change is committed, or at once for a repeated report; false: the poll may have been dropped. */
  async recordAnswer(due: DueClaim, answer: StatusAnswer, askedAt = this.timers.nowMs()): Promise<boolean> {
    if (answer.kind === 'report' && answer.report.digest === due.knownDigest) {
      this.recordUnchanged(due);
      return true;
    }
    const isCharged = this.circuit.recordAnswer(due.quoteId, answer, due.failures);
    const answered = { due, answer, isCharged, ...this.unjudged(), askedAt };
    if (repeatsStoredReport(due, answer)) {
      this.repeated.add(answered).catch((error: unknown) => this.noteFailed(due, error));
      return true;
    }
    await this.batcher.add(answered);
    return !answered.mayBeDropped;
  }

  /** Records an answer about a payment that was read already, and returns the poll as committed. */
  async record(claim: Claim, answer: StatusAnswer): Promise<Poll> {
    const isCharged = this.circuit.recordAnswer(claim.quoteId, answer, claim.failures);
    return this.settle(claim, { due: claim, answer, isCharged, ...this.unjudged() });
  }

  /** Records that the payment could not be polled. */
  async recordSilence(claim: Claim, now: Date): Promise<void> {
    await this.settle(claim, { due: claim, answer: null, isCharged: false, ...this.unjudged(now) });
  }

  async drain(giveUpMs: number): Promise<void> {
    await Promise.all([this.batcher.drain(giveUpMs), this.repeated.drain(giveUpMs)]);
  }

  noteFailed({ quoteId }: DueClaim, error: unknown): void {
    this.log.error(`a poll of ${quoteId} was not recorded: ${(error as Error).message}`);
  }

  private unjudged(at = this.clock.now()): Omit<AnsweredPoll, 'due' | 'answer' | 'isCharged'> {
    return { at, poll: null, mayBeDropped: false, askedAt: this.timers.nowMs(), span: null };
  }

  /** Commits the poll if it changes anything, and returns it as committed. */
  private async settle(claim: Claim, answered: AnsweredPoll): Promise<Poll> {
    const poll = this.judge(claim, answered);
    answered.poll = poll;
    if (!changesNothing(poll)) await this.batcher.add(answered);
    return answered.poll;
  }

  private async commit(group: readonly AnsweredPoll[]): Promise<void> {
    const unjudged = group.filter(({ poll }) => poll === null);
    this.judgeAll(unjudged, await this.schedule.read(unjudged.map(({ due }) => due)));
    const kept = group.flatMap(({ poll }) => (poll !== null && keepsSchedule(poll) ? [poll] : []));
    if (kept.length > 0) await this.schedule.extendUnchanged(kept);
    let changed = group.filter(({ poll }) => poll !== null && !keepsSchedule(poll));
    for (let judged = 1; changed.length > 0; judged += 1) {
      const { stale, outdated } = await this.write(changed);
      if (stale > 0) this.noteDropped(group, stale);
      const missed = changed.filter(({ poll }) => poll !== null && outdated.includes(poll));
      if (missed.length === 0 || judged === MAX_JUDGEMENTS) return this.noteDropped(missed, 0);
      // The payments have changed since they were read: the same answers are applied to their present state.
      changed = this.judgeAll(missed, await this.schedule.readAgain(missed.map(({ due }) => due)));
    }
  }

  private write(changed: readonly AnsweredPoll[]): Promise<RecordOutcome> {
    return this.deliveries.leasing((offers) => this.schedule.record(this.countFromRequests(changed), offers));
  }

  /** The age is measured at each try to record, which may come long after the answer. */
  private countFromRequests(changed: readonly AnsweredPoll[]): Poll[] {
    const nowMs = this.timers.nowMs();
    return changed.flatMap((each) => {
      if (each.poll === null) return [];
      each.poll = countedFromRequest(each.poll, nowMs - each.askedAt);
      return [each.poll];
    });
  }

  private noteDropped(group: readonly AnsweredPoll[], overtaken: number): void {
    if (overtaken > 0) this.meters.own.stale(overtaken);
    for (const each of group) each.mayBeDropped = true;
  }

  /** Judges answers by the payments that were read; returns those whose payments still exist. */
  private judgeAll(answered: readonly AnsweredPoll[], claims: readonly Claim[]): AnsweredPoll[] {
    const byToken = new Map(claims.map((claim) => [keyOf(claim), claim]));
    return answered.filter((each) => {
      const claim = byToken.get(keyOf(each.due));
      if (claim !== undefined) each.poll = this.judge(claim, each);
      return claim !== undefined;
    });
  }

  private judge(claim: Claim, answered: AnsweredPoll): Poll {
    const { answer, isCharged, at, poll: outdated, askedAt } = answered;
    const poll =
      answer === null
        ? applyUnaskedPoll(claim, at, this.settings)
        : applyPoll(claim, answer, at, this.settings, isCharged);
    // Measures each answer once, however often it is judged.
    if (outdated === null) this.measure(claim, poll, answer);
    if (poll.events.length > 0) answered.span ??= this.tracer.polled(claim.payment, askedAt);
    logWithin(answered.span, () => logPoll(this.log, poll, answer));
    return poll;
  }

  private measure(claim: Claim, poll: Poll, answer: StatusAnswer | null): void {
    for (const { type } of poll.events) this.meters.all.recorded(type);
    if (answer === null) return;
    this.meters.own.polled(outcomeOf(poll, answer), claim.urgency);
    const isMoved = poll.payment.status !== claim.payment.status;
    if (isMoved && claim.answeredAgoMs !== null)
      this.meters.own.detected(poll.payment.status, claim.answeredAgoMs);
  }
}

function isTransient(error: unknown): boolean {
  return error instanceof StoreUnavailable;
}

/** One group may contain two polls of one payment: the token tells them apart. */
function keyOf({ paymentId, token }: DueClaim): string {
  return `${paymentId}#${token}`;
}
