import type { ProviderMeter } from '../../ports/meter.ts';
import type { PaymentProvider, StatusAnswer } from '../../ports/payment-provider.ts';
import type { ClaimSpare, DueClaim, Schedule } from '../../ports/schedule.ts';
import type { ProviderRateLimit } from '../../ports/provider-rate-limit.ts';
import type { Timers } from '../../ports/timers.ts';
import type { WakeSignal } from '../../platform/scheduling/wake-signal.ts';
import type { AnswerTimes } from './provider-troubles.ts';
import { ClaimQueue, type QueuedRequest } from './claim-queue.ts';
import type { PollRecorder } from './poll-recorder.ts';
import type { RateLimitView } from './rate-limit-view.ts';
import type { PollingSettings } from './polling.settings.ts';
import { PollsUnderWay, type RequestUnderWay } from './polls-under-way.ts';

/**
 * How many requests start in one turn of the event loop at most: changes get to their commit and their webhook in between.
 */
const MOST_AT_ONCE = 32;

/** Sends status requests for the queued claims, as many at once as the provider allows. */
export class PollWorkers {
  private readonly queue: ClaimQueue;
  private readonly underWay: PollsUnderWay;
  /** The number of answers that wait for their commit. */
  private uncommitted = 0;
  private isFull = false;
  private isStarting = false;
  /** Cancels the start of further requests in the next turn of the event loop; null when no further request can start. */
  private cancelNextTurn: (() => void) | null = null;
  /** Resolves `drain`. */
  private onIdle: () => void = () => undefined;
  private shutOffs = 0;

  constructor(
    private readonly provider: PaymentProvider,
    private readonly recorder: PollRecorder,
    private readonly meter: ProviderMeter,
    private readonly view: RateLimitView,
    private readonly timers: Timers,
    /** Wakes the tracker when there is room for more claims. */
    private readonly wakeSignal: WakeSignal,
    schedule: Schedule,
    private readonly settings: PollingSettings,
    private readonly answers: AnswerTimes,
    private readonly rateLimit: Pick<ProviderRateLimit, 'charge'>,
  ) {
    this.queue = new ClaimQueue(
      provider.limits,
      (nextInMs) => settings.slackMs(nextInMs),
      settings.urgency.pollIntervalMs,
    );
    this.underWay = new PollsUnderWay(schedule, settings, timers);
  }

  /** `isFull`: there was no room for all due payments, so new room wakes the tracker at once. */
  noteFull(isFull: boolean): void {
    this.isFull = isFull;
  }

  /** How many more claims the queue takes now. */
  room(): number {
    return this.queue.room(this.underWay.size, this.uncommitted);
  }

  /** How much longer than the first lease the next claim must hold its payments to be able to wait for its request. */
  spare(): ClaimSpare {
    const { urgentMs, othersMs } = this.queue.longestWaits(this.timers.nowMs());
    return { urgentMs: this.settings.spareMs(urgentMs), othersMs: this.settings.spareMs(othersMs) };
  }

  poll(claims: readonly DueClaim[], claimedAtMs: number): void {
    this.dropVoidClaims();
    this.queue.addClaims(claims, claimedAtMs, this.timers.nowMs());
    this.startRequests();
  }

  /** Starts no more requests, and resolves when those in flight have ended. */
  async drain(): Promise<void> {
    this.queue.clear();
    this.cancelNextTurn?.();
    if (this.underWay.size > 0) await new Promise<void>((resolve) => (this.onIdle = resolve));
    this.underWay.stop();
  }

  private startRequests(): void {
    // The loop below continues when a request ends at once.
    if (this.isStarting) return;
    this.isStarting = true;
    try {
      // While the next turn is planned, an ended request makes room for only one request.
      const most = this.cancelNextTurn === null ? MOST_AT_ONCE : 1;
      if (this.startUpTo(most) === most) this.cancelNextTurn ??= this.timers.after(0, () => this.startMore());
    } finally {
      this.isStarting = false;
    }
  }

  private startMore(): void {
    this.cancelNextTurn = null;
    this.startRequests();
  }

  /** Returns the number of started requests. */
  private startUpTo(most: number): number {
    const { maxConcurrency } = this.provider.limits;
    for (let started = 0; started < most; started += 1) {
      if (this.underWay.size >= maxConcurrency) return started;
      const next = this.next();
      if (next.claims.length === 0) return started;
      this.start(this.underWay.begin(next));
    }
    return most;
  }

  private start(request: RequestUnderWay): void {
    const claimOf = (quoteId: string) => request.claims.find((claim) => claim.quoteId === quoteId);
    // A connection that gets its next request before it is idle skips the check of idle connections.
    const isOfOne = request.claims.length === 1;
    const answered = this.provider.readStatuses(
      request.claims.map(({ quoteId }) => quoteId),
      (quoteId, answer) => {
        const recorded = this.record(claimOf(quoteId), answer, request.askedAt);
        if (isOfOne) this.end(request);
        return recorded;
      },
      {
        onSent: () => this.underWay.noteSent(request),
        digestOf: (quoteId) => claimOf(quoteId)?.knownDigest ?? null,
        onUnchanged: (quoteId) => {
          const claim = claimOf(quoteId);
          if (claim !== undefined) this.recorder.recordUnchanged(claim);
          if (isOfOne) this.end(request);
        },
      },
    );
    void answered.then((extra) => {
      this.end(request);
      if (extra) void this.rateLimit.charge(extra);
    });
  }

  private end(request: RequestUnderWay): void {
    if (!this.underWay.end(request)) return;
    const nowMs = this.timers.nowMs();
    const durationMs = nowMs - request.since;
    this.queue.noteRequest(durationMs);
    this.meter.requested(durationMs);
    this.answers.noteAnswer(durationMs, nowMs);
    this.startRequests();
    this.wakeForRoom();
    if (this.underWay.size === 0) this.onIdle();
  }

  private async record(claim: DueClaim | undefined, answer: StatusAnswer, askedAt: number): Promise<boolean> {
    if (claim === undefined) return false;
    this.uncommitted += 1;
    try {
      return await this.recorder.recordAnswer(claim, answer, askedAt);
    } catch (error) {
      this.recorder.noteFailed(claim, error);
      return false;
    } finally {
      this.uncommitted -= 1;
      this.wakeForRoom();
    }
  }

  private wakeForRoom(): void {
    if (this.isFull && this.room() > 0) this.wakeSignal.wake();
  }

  private next(): QueuedRequest {
    this.dropVoidClaims();
    return this.queue.next(this.timers.nowMs());
  }

  /** Drops claims older than the provider's last shut-off, so that no request is sent beside a probe or in a pause. */
  private dropVoidClaims(): void {
    if (this.shutOffs === this.view.shutOffs) return;
    this.shutOffs = this.view.shutOffs;
    this.queue.clear();
  }
}
