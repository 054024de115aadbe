import { Logger } from '@nestjs/common';

import { scaleFor, NO_SCALE, type IntervalScale } from '../../domain/polling/interval-scale.ts';
import { Clock } from '../../ports/clock.ts';
import { ProviderRateLimit, type OpenDemand } from '../../ports/provider-rate-limit.ts';
import { Schedule } from '../../ports/schedule.ts';
import { Timers } from '../../ports/timers.ts';
import { PollRecorder } from './poll-recorder.ts';
import { RateLimitView } from './rate-limit-view.ts';
import { PollingSettings } from './polling.settings.ts';

const TICK_MS = 1_000;
const SCALE_EVERY_MS = 5_000;
/** A scale that differs from the current one by less than this is not written. */
const SAME_SCALE = 0.02;
/** By more than this many intervals, the schedule falls behind only in an outage or with too much work. */
const BEHIND_INTERVALS = 2;
const LEAST_BEHIND_MS = 2_000;
/** How soon the tracker checks again whether polls are committed. */
const BEHIND_PAUSE_MS = 20;
const UNANSWERED_EVERY_MS = 2_000;
const MAX_UNANSWERED = 500;

/**
 * Runs once a second: refreshes the rate limit, spreads polls after an outage, fits the interval scale and records unanswered
 * payments.
 */
export class TrackerMaintenance {
  private readonly log = new Logger('Tracker');
  private nextAt = 0;
  private scaleAt = 0;
  private unansweredAt = 0;
  /** Since when this process has seen polls impossible or fewer than usual; null: polls are as usual. */
  private troubledSince: number | null = null;
  private isBehind = false;
  /** How far the schedule was behind when payments could last be polled. */
  private lagMs = 0;
  /**
   * The polls after a spread come first: on a slow database each round could look like an outage, and nothing would be
   * polled.
   */
  private hasSpread = false;
  private wasHeld = false;

  constructor(
    private readonly schedule: Schedule,
    private readonly rateLimit: ProviderRateLimit,
    private readonly view: RateLimitView,
    private readonly recorder: PollRecorder,
    private readonly clock: Clock,
    private readonly timers: Timers,
    private readonly settings: PollingSettings,
  ) {}

  /** How long nothing may be claimed; 0: payments may be polled, or only probes are sent. */
  get heldForMs(): number {
    // A new claim would fence off the polls that wait for their commit, and their answers would be lost.
    return this.recorder.isBehind ? BEHIND_PAUSE_MS : this.view.pausedForMs;
  }

  /** Does nothing until the next second has begun, or payments may be polled again. */
  async tick(): Promise<void> {
    const isReleased = this.wasHeld && this.heldForMs === 0;
    if (this.timers.nowMs() < this.nextAt && !isReleased) return;
    await this.view.refresh();
    this.wasHeld = this.heldForMs > 0;
    if (!this.wasHeld && !this.view.isOpen) await this.keepUp();
    await this.fitScale();
    await this.recordUnanswered();
    this.nextAt = this.timers.nowMs() + TICK_MS;
  }

  /**
   * In an outage no payment is polled and the schedule falls behind: then the polls of overdue payments are spread. With too
   * much work it falls behind little by little.
   */
  private async keepUp(): Promise<void> {
    const { pollIntervalMs } = this.settings.urgency;
    const farMs = Math.max(BEHIND_INTERVALS * pollIntervalMs, LEAST_BEHIND_MS);
    const lagMs = Math.max(-((await this.schedule.nextDueInMs()) ?? 0), 0);
    this.hasSpread = lagMs - this.lagMs > farMs && !this.hasSpread;
    if (this.hasSpread) {
      this.view.noteSpread(await this.schedule.spreadOverdue());
      this.lagMs = 0;
      return;
    }
    this.lagMs = lagMs;
    if (!this.isBehind && lagMs > farMs) {
      this.isBehind = true;
      this.log.warn(`the schedule is ${Math.round(lagMs / 1_000)} s behind`, this.view.logFields);
    } else if (this.isBehind && lagMs < pollIntervalMs) {
      this.isBehind = false;
      this.log.log('the schedule is kept again', this.view.logFields);
    }
  }

  /** Scales intervals so that polls fit the rate limit. */
  private async fitScale(): Promise<void> {
    const { requestsPerSecond, scale } = this.view;
    const isUnlimited = requestsPerSecond === Number.POSITIVE_INFINITY;
    if (isUnlimited && scale === NO_SCALE) return;
    if (this.timers.nowMs() < this.scaleAt) return;
    this.scaleAt = this.timers.nowMs() + SCALE_EVERY_MS;
    const demand = isUnlimited ? [] : await this.rateLimit.demand();
    const fittingScale = isUnlimited ? NO_SCALE : this.fitting(demand);
    if (isAbout(fittingScale, scale) && demand.every(({ putOff }) => putOff === 0)) return;
    await this.rateLimit.setScale(fittingScale);
    await this.view.refresh();
    this.logScale(fittingScale);
  }

  private fitting(demand: readonly OpenDemand[]): IntervalScale {
    const overdue = demand.reduce((sum, each) => sum + each.overdue, 0);
    return scaleFor(demand, this.view.plannedPolls(overdue), this.settings.urgency.pollIntervalMs);
  }

  private logScale(scale: IntervalScale): void {
    const factors = scale.map((factor) => factor.toFixed(1)).join(', ');
    this.log.debug(`intervals are scaled by ${factors} (in flight, attended, unattended, watching)`);
  }

  /** Records stalls even for payments that cannot be polled while the provider fails or is throttled. */
  private async recordUnanswered(): Promise<void> {
    const now = this.timers.nowMs();
    if (!this.view.isOpen && !this.view.isSlowed) this.troubledSince = null;
    else this.troubledSince ??= now;
    if (this.troubledSince === null || now < this.unansweredAt) return;
    this.unansweredAt = now + UNANSWERED_EVERY_MS;
    const troubledMs = now - this.troubledSince;
    const { stalledAfterMs } = this.settings;
    const claims = await this.schedule.claimUnanswered(MAX_UNANSWERED, stalledAfterMs, troubledMs);
    const at = this.clock.now();
    await Promise.all(claims.map((claim) => this.recorder.recordSilence(claim, at)));
  }
}

function isAbout(a: IntervalScale, b: IntervalScale): boolean {
  return a.every((factor, index) => Math.abs(factor - (b[index] ?? 1)) <= SAME_SCALE * factor);
}
