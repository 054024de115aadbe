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
import { LookRecorder } from './look-recorder.ts';
import { ProviderWatch } from './provider-watch.ts';
import { TrackingRules } from './tracking-rules.ts';

/** How long an idle tracker waits before it asks again what is due: another replica may have made something due. */
const IDLE_MS = 1_000;
const MIN_ROUND_MS = 10;
const MAX_QUEUED = 1_000;
/** What is claimed ahead, in rounds of requests, so that the provider never waits for the database. */
const CLAIM_AHEAD = 4;
/** What the provider has not answered by then is looked at again by whoever claims it next. */
const DRAIN_MS = 9_000;
/** More uncommitted looks than this mean that the database is away: no further requests then. */
const MAX_UNCOMMITTED = 2_000;

interface Queued {
  readonly claim: Claim;
  /** Later than this its request could outlast the lease. */
  readonly startBy: number;
}

/** Looks at the payments that are due, within the provider's limits, and has recorded what it saw. */
@Injectable()
export class Tracker implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly log = new Logger(Tracker.name);
  private readonly loop: Loop;
  private readonly queue: Queued[] = [];
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
    await this.loop.stop();
    this.queue.length = 0;
    const giveUpAt = performance.now() + DRAIN_MS;
    const done = new AbortController();
    const late = sleep(DRAIN_MS, undefined, { signal: done.signal }).catch(() => undefined);
    await Promise.race([Promise.allSettled(this.readers), late]);
    done.abort();
    await this.recorder.drain(Math.max(giveUpAt - performance.now(), 0));
  }

  private get capacity(): number {
    const { maxConcurrency, batchSize } = this.provider.limits;
    return Math.min(maxConcurrency * batchSize * CLAIM_AHEAD, MAX_QUEUED);
  }

  private async round(): Promise<number> {
    const free = this.capacity - this.queue.length;
    const isBusy = free < this.capacity / 2 || this.recorder.uncommitted > MAX_UNCOMMITTED;
    // A new claim would overtake the looks that wait to be committed, and what they saw would be lost.
    if (isBusy || this.recorder.isHeldUp) return IDLE_MS;
    const wanted = await this.budget(free);
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
    const { leaseMs, requestTimeoutMs } = this.rules;
    const startBy = this.clock.now().getTime() + leaseMs - requestTimeoutMs;
    const claims = await this.schedule.claimDue(wanted, leaseMs);
    this.queue.push(...claims.map((claim) => ({ claim, startBy })));
    const { maxRpm } = this.provider.limits;
    if (maxRpm > 0 && claims.length < wanted) {
      await this.schedule.takeBudget(claims.length - wanted, maxRpm);
    }
    return claims.length;
  }

  /** Starts as many readers as the provider allows; each ends when the queue is empty. */
  private read(): void {
    const { maxConcurrency, batchSize } = this.provider.limits;
    const needed = Math.min(maxConcurrency, this.readers.size + Math.ceil(this.queue.length / batchSize));
    while (this.readers.size < needed) {
      const reader = this.readQueue().finally(() => this.readers.delete(reader));
      this.readers.add(reader);
    }
  }

  private async readQueue(): Promise<void> {
    for (let batch = this.nextBatch(); batch.length > 0; batch = this.nextBatch()) {
      await this.readBatch(batch);
      if (this.queue.length < this.capacity / 2) this.bell.ring();
    }
  }

  /** What waited too long is left: its next look is scheduled already. */
  private nextBatch(): Claim[] {
    const now = this.clock.now().getTime();
    const batch: Claim[] = [];
    while (batch.length < this.provider.limits.batchSize) {
      const next = this.queue.shift();
      if (next === undefined) break;
      if (next.startBy >= now) batch.push(next.claim);
    }
    return batch;
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
