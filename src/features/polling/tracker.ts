import type { ProviderMeter } from '../../ports/meter.ts';
import type { PaymentProvider } from '../../ports/payment-provider.ts';
import type { Schedule } from '../../ports/schedule.ts';
import { Timers } from '../../ports/timers.ts';
import type { WakeSignal } from '../../platform/scheduling/wake-signal.ts';
import { Loop } from '../../platform/scheduling/loop.ts';
import { sleep } from '../../platform/scheduling/system-timers.ts';
import type { AnswerTimes } from './provider-troubles.ts';
import type { PollRecorder } from './poll-recorder.ts';
import type { RateLimitView } from './rate-limit-view.ts';
import type { ProviderLimiter } from './provider-limiter.ts';
import type { TrackerMaintenance } from './tracker-maintenance.ts';
import { PollWorkers } from './poll-workers.ts';
import type { PollingSettings } from './polling.settings.ts';

/** How long an idle tracker waits before it reads the schedule again: another replica may have made a payment due. */
const IDLE_MS = 1_000;
const MIN_ROUND_MS = 10;
/** After a claim of at most this many payments, the tracker reads when the next payment is due. */
const FEW = 2;
/** The deadline of a shutdown: another replica polls the payments that are not answered by then. */
const STOP_MS = 7_500;
/** How long due payments are collected for a request about many payments while requests are limited. */
const GATHER_MS = 750;

/** The parts of its cell that a tracker uses. */
export interface TrackerParts {
  readonly recorder: PollRecorder;
  readonly limiter: ProviderLimiter;
  readonly maintenance: TrackerMaintenance;
  readonly view: RateLimitView;
  readonly answers: AnswerTimes;
}

/** Polls the due payments of one provider within its limits and records the answers. */
export class Tracker {
  private readonly loop: Loop;
  private readonly workers: PollWorkers;
  private readonly recorder: PollRecorder;
  private readonly limiter: ProviderLimiter;
  private readonly maintenance: TrackerMaintenance;
  private readonly pace = new ClaimPace(MIN_ROUND_MS);

  constructor(
    private readonly schedule: Schedule,
    private readonly provider: PaymentProvider,
    { recorder, limiter, maintenance, view, answers }: TrackerParts,
    private readonly timers: Timers,
    meter: ProviderMeter,
    private readonly settings: PollingSettings,
    wakeSignal: WakeSignal,
  ) {
    this.recorder = recorder;
    this.limiter = limiter;
    this.maintenance = maintenance;
    this.loop = new Loop('tracker', wakeSignal, () => this.round());
    this.workers = new PollWorkers(
      provider,
      recorder,
      meter,
      view,
      timers,
      wakeSignal,
      schedule,
      settings,
      answers,
      limiter,
    );
  }

  start(): void {
    this.loop.start();
  }

  /** Stops claiming, lets requests in flight end, and commits their answers, all within one deadline. */
  async stop(): Promise<void> {
    const giveUpAt = this.timers.nowMs() + STOP_MS;
    const stopped = new AbortController();
    const isOver = sleep(this.timers, STOP_MS, stopped.signal);
    await Promise.race([this.loop.stop(), isOver]);
    await Promise.race([this.workers.drain(), isOver]);
    stopped.abort();
    await this.recorder.drain(Math.max(giveUpAt - this.timers.nowMs(), 0));
  }

  private async round(): Promise<number> {
    await this.maintenance.tick();
    const room = this.workers.room();
    this.workers.noteFull(room === 0);
    if (room === 0) return IDLE_MS;
    const { heldForMs } = this.maintenance;
    if (heldForMs > 0) return Math.min(heldForMs, IDLE_MS);
    const { batchSize } = this.provider.limits;
    const gatherMs = batchSize > 1 && !this.limiter.isFree ? GATHER_MS : 0;
    // Do not reserve requests before there is a payment to poll.
    if (gatherMs > 0 || this.limiter.mustReserve) {
      const startInMs = ((await this.schedule.nextDueInMs()) ?? IDLE_MS) + gatherMs;
      if (startInMs > 0) return Math.min(startInMs, IDLE_MS);
    }
    const admission = await this.limiter.admit(Math.ceil(room / batchSize));
    const { granted, waitMs } = admission;
    if (granted === 0) return Math.min(waitMs, IDLE_MS);
    const wanted = Math.min(room, granted * batchSize);
    const claimed = await this.claim(wanted);
    this.limiter.unused(granted - Math.ceil(claimed / batchSize), admission);
    this.workers.noteFull(claimed === room);
    if (claimed === wanted) return MIN_ROUND_MS;
    const collectMs = this.pace.collectMs(claimed);
    if (claimed > FEW) return collectMs;
    const nextDueInMs = (await this.schedule.nextDueInMs()) ?? IDLE_MS;
    return Math.max(Math.min(nextDueInMs, IDLE_MS), collectMs);
  }

  private async claim(wanted: number): Promise<number> {
    const claimedAtMs = this.timers.nowMs();
    this.pace.noteClaim(claimedAtMs);
    const { firstLeaseMs } = this.settings;
    const claims = await this.schedule.claimDue(wanted, firstLeaseMs, this.workers.spare());
    this.workers.poll(claims, claimedAtMs);
    return claims.length;
  }
}

/** The size of a worthwhile claim: a small claim costs nearly as much as a large one. */
const WORTHWHILE = 200;
/** The longest time for which due payments are collected; on average, it delays their polls by half. */
const COLLECT_UP_TO_MS = 60;

/**
 * Decides how long to wait before the next claim: until, at the rate of the last claim, enough payments are due to be worth
 * one. Replicas that share the payments find fewer each, and claim less often.
 */
export class ClaimPace {
  private claimedAt = Number.NEGATIVE_INFINITY;
  private sinceLastMs = 0;

  constructor(private readonly leastMs: number) {}

  noteClaim(nowMs: number): void {
    this.sinceLastMs = nowMs - this.claimedAt;
    this.claimedAt = nowMs;
  }

  /** The wait after a claim that left no due payment. */
  collectMs(claimed: number): number {
    if (claimed === 0) return COLLECT_UP_TO_MS;
    const wantedMs = (WORTHWHILE / claimed) * this.sinceLastMs;
    return Math.min(Math.max(wantedMs, this.leastMs), COLLECT_UP_TO_MS);
  }
}
