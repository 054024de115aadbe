import { setTimeout as sleep } from 'node:timers/promises';

import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';

import { Clock } from '../ports/clock.ts';
import { PaymentProvider, type StatusAnswer } from '../ports/payment-provider.ts';
import { DatabaseHealth } from '../ports/readiness.ts';
import { Schedule, type Claim } from '../ports/schedule.ts';
import { DueBell } from '../scheduling/bell.ts';
import { Loop } from '../scheduling/loop.ts';
import { ClaimQueue } from './claim-queue.ts';
import { LookRecorder } from './look-recorder.ts';
import { ProviderWatch } from './provider-watch.ts';
import { TrackingRules } from './tracking-rules.ts';

/** How long an idle tracker waits before it asks again what is due: another replica may have made something due. */
const IDLE_MS = 1_000;
const MIN_ROUND_MS = 10;
/** What the provider has not answered by then is looked at again by whoever claims it next. */
const STOP_MS = 7_500;
/** A look that waits longer to be committed means that the database is behind, or away: nothing is claimed then. */
const BEHIND_MS = 300;
const BEHIND_PAUSE_MS = 20;

/** Looks at the payments that are due, within the provider's limits, and has recorded what it saw. */
@Injectable()
export class Tracker implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly log = new Logger(Tracker.name);
  private readonly loop: Loop;
  private readonly queue: ClaimQueue;
  private readonly readers = new Set<Promise<void>>();
  private stopped: Promise<void> | null = null;

  constructor(
    private readonly schedule: Schedule,
    private readonly provider: PaymentProvider,
    private readonly recorder: LookRecorder,
    private readonly watch: ProviderWatch,
    private readonly clock: Clock,
    private readonly rules: TrackingRules,
    private readonly bell: DueBell,
    private readonly database: DatabaseHealth,
  ) {
    this.loop = new Loop('tracker', bell, () => this.round());
    this.queue = new ClaimQueue(provider.limits, rules.slackMs);
  }

  onApplicationBootstrap(): void {
    void this.database.whenReady().then(() => this.loop.start());
  }

  /** Begins to stop together with everything else: the hooks that are waited for come one after another. */
  onModuleDestroy(): void {
    this.stopped ??= this.stop();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stopped;
  }

  private async stop(): Promise<void> {
    const giveUpAt = performance.now() + STOP_MS;
    const isOver = sleep(STOP_MS, undefined, { ref: false });
    await Promise.race([this.loop.stop(), isOver]);
    this.queue.clear();
    await Promise.race([Promise.allSettled(this.readers), isOver]);
    await this.recorder.drain(Math.max(giveUpAt - performance.now(), 0));
  }

  private async round(): Promise<number> {
    const room = this.queue.room(this.readers.size);
    if (room === 0) return IDLE_MS;
    // A new claim would overtake the looks that wait to be committed, and what they saw would be lost.
    if (this.recorder.waitedMs > BEHIND_MS) return BEHIND_PAUSE_MS;
    const wanted = await this.budget(room);
    if (wanted === 0) return this.budgetWaitMs();
    const claims = await this.claim(wanted);
    this.read();
    if (claims === wanted) return MIN_ROUND_MS;
    return Math.max(Math.min((await this.schedule.nextDueInMs()) ?? IDLE_MS, IDLE_MS), MIN_ROUND_MS);
  }

  private async budget(free: number): Promise<number> {
    const { maxRpm } = this.provider.limits;
    return maxRpm === 0 ? free : this.schedule.takeBudget(free, maxRpm);
  }

  private budgetWaitMs(): number {
    return Math.min(60_000 / this.provider.limits.maxRpm, IDLE_MS);
  }

  private async claim(wanted: number): Promise<number> {
    const nowMs = this.clock.now().getTime();
    const claims = await this.schedule.claimDue(wanted, this.rules.leaseMs);
    this.queue.add(claims, nowMs);
    const { maxRpm } = this.provider.limits;
    if (maxRpm > 0 && claims.length < wanted) {
      await this.schedule.takeBudget(claims.length - wanted, maxRpm);
    }
    return claims.length;
  }

  /** Starts as many readers as the provider allows; each ends when the queue is empty. */
  private read(): void {
    const { maxConcurrency, batchSize } = this.provider.limits;
    const needed = Math.min(maxConcurrency, this.readers.size + Math.ceil(this.queue.size / batchSize));
    while (this.readers.size < needed) {
      const reader = this.readQueue().finally(() => {
        this.readers.delete(reader);
        this.bell.ring();
      });
      this.readers.add(reader);
    }
  }

  private async readQueue(): Promise<void> {
    for (let batch = this.next(); batch.length > 0; batch = this.next()) {
      const startedAt = performance.now();
      await this.readBatch(batch);
      this.queue.noteRequest(performance.now() - startedAt);
      if (this.queue.room(this.readers.size) > 0) this.bell.ring();
    }
  }

  private next(): Claim[] {
    return this.queue.next(this.clock.now().getTime());
  }

  private async readBatch(batch: readonly Claim[]): Promise<void> {
    const claims = new Map(batch.map((claim) => [claim.payment.quoteId, claim]));
    const onAnswer = (quoteId: string, answer: StatusAnswer): void => {
      const claim = claims.get(quoteId);
      if (claim === undefined) return;
      this.watch.saw(answer);
      this.recorder.record(claim, answer).catch((error: unknown) => {
        this.log.error(`a look at ${quoteId} was not recorded: ${(error as Error).message}`);
      });
    };
    await this.provider.readStatuses([...claims.keys()], onAnswer);
  }
}
