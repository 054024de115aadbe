import { Logger } from '@nestjs/common';

import type { Meter } from '../../ports/meter.ts';
import type { PaymentProvider, StatusAnswer } from '../../ports/payment-provider.ts';
import type { ClaimSpare, DueClaim, Schedule } from '../../ports/schedule.ts';
import type { Timers } from '../../ports/timers.ts';
import type { WakeSignal } from '../../platform/scheduling/wake-signal.ts';
import { ClaimQueue } from './claim-queue.ts';
import type { PollRecorder } from './poll-recorder.ts';
import type { RateLimitView } from './rate-limit-view.ts';
import { EXTEND_EVERY_MS, type PollingSettings } from './polling.settings.ts';
import { PollsUnderWay, type RequestUnderWay } from './polls-under-way.ts';

/** Sends status requests for the queued claims, as many at once as the provider allows. */
export class PollWorkers {
  private readonly log = new Logger('Tracker');
  private readonly queue: ClaimQueue;
  private readonly underWay: PollsUnderWay;
  /** Answers that wait for their commit. */
  private uncommitted = 0;
  /** Null while no request is under way. */
  private cancelLeaseCheck: (() => void) | null = null;
  private readonly running = new Set<Promise<void>>();
  private isFull = false;
  private shutOffs = 0;

  constructor(
    private readonly provider: PaymentProvider,
    private readonly recorder: PollRecorder,
    private readonly meter: Meter,
    private readonly view: RateLimitView,
    private readonly timers: Timers,
    /** Wakes the tracker when there is room for more claims. */
    private readonly wakeSignal: WakeSignal,
    private readonly schedule: Schedule,
    private readonly settings: PollingSettings,
  ) {
    this.queue = new ClaimQueue(
      provider.limits,
      (nextInMs) => settings.slackMs(nextInMs),
      settings.urgency.pollIntervalMs,
    );
    this.underWay = new PollsUnderWay(timers);
  }

  /** `isFull`: there was no room for all due payments, so that new room wakes the tracker at once. */
  noteFull(isFull: boolean): void {
    this.isFull = isFull;
  }

  /** How many more claims the queue takes now. */
  room(): number {
    return this.queue.room(this.running.size, this.uncommitted);
  }

  /** How much longer than the first lease the next claim has to hold its payments, so that it can wait for its request. */
  spare(): ClaimSpare {
    const { urgentMs, othersMs } = this.queue.longestWaits;
    return { urgentMs: this.settings.spareMs(urgentMs), othersMs: this.settings.spareMs(othersMs) };
  }

  poll(claims: readonly DueClaim[], claimedAtMs: number): void {
    this.dropVoidClaims();
    this.queue.add(claims, claimedAtMs, this.timers.nowMs());
    const { maxConcurrency, batchSize } = this.provider.limits;
    const needed = Math.min(maxConcurrency, this.running.size + Math.ceil(this.queue.size / batchSize));
    while (this.running.size < needed) {
      const worker = this.pollQueue().finally(() => {
        this.running.delete(worker);
        this.wakeForRoom();
      });
      this.running.add(worker);
    }
  }

  /** Starts no more requests, and settles when those in flight have ended. */
  async drain(): Promise<void> {
    this.queue.clear();
    await Promise.allSettled(this.running);
    this.cancelLeaseCheck?.();
  }

  private async pollQueue(): Promise<void> {
    for (let batch = this.next(); batch.length > 0; batch = this.next()) {
      const request = this.underWay.begin(batch);
      if (this.cancelLeaseCheck === null) this.checkLeasesSoon();
      await this.read(request);
      this.noteRequest(this.underWay.end(request));
      this.wakeForRoom();
    }
  }

  private read(request: RequestUnderWay): Promise<void> {
    const claimOf = (quoteId: string) => request.claims.find((claim) => claim.quoteId === quoteId);
    const ids = request.claims.map(({ quoteId }) => quoteId);
    return this.provider.readStatuses(
      ids,
      (quoteId, answer) => this.record(claimOf(quoteId), answer, request.since),
      {
        digestOf: (quoteId) => claimOf(quoteId)?.knownDigest ?? null,
        onUnchanged: (quoteId) => {
          const claim = claimOf(quoteId);
          if (claim !== undefined) this.recorder.recordUnchanged(claim);
        },
      },
    );
  }

  private async record(claim: DueClaim | undefined, answer: StatusAnswer, since: number): Promise<boolean> {
    if (claim === undefined) return false;
    this.uncommitted += 1;
    try {
      return await this.recorder.recordAnswer(claim, answer, since);
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

  private noteRequest(durationMs: number): void {
    this.queue.noteRequest(durationMs);
    this.meter.requested(durationMs);
  }

  private next(): DueClaim[] {
    this.dropVoidClaims();
    return this.queue.next(this.timers.nowMs());
  }

  /** Drops the claims from before the provider was shut off, so that no request is sent beside a probe or in a pause. */
  private dropVoidClaims(): void {
    if (this.shutOffs === this.view.shutOffs) return;
    this.shutOffs = this.view.shutOffs;
    this.queue.clear();
  }

  private checkLeasesSoon(): void {
    this.cancelLeaseCheck = this.timers.after(EXTEND_EVERY_MS, () => {
      this.cancelLeaseCheck = null;
      if (this.underWay.size > 0) this.checkLeasesSoon();
      void this.extendSlowLeases();
    });
  }

  /** Extends the leases of slow requests: if another claim took the payment over, no slow answer would ever count. */
  private async extendSlowLeases(): Promise<void> {
    const { slowAfterMs, slowLeaseMs } = this.settings;
    const slow = this.underWay.takeSlow(slowAfterMs, slowLeaseMs / 2);
    if (slow.length === 0) return;
    try {
      await this.schedule.extendLeases(slow, slowLeaseMs);
    } catch (error) {
      this.log.debug(`${slow.length} leases were not extended: ${(error as Error).message}`);
    }
  }
}
