import { Injectable, Logger } from '@nestjs/common';

import { stretchFor, NO_STRETCH, type Stretch } from '../../domain/polling/interval-scale.ts';
import { Clock } from '../../ports/clock.ts';
import { ProviderPace } from '../../ports/provider-limits.ts';
import { Schedule } from '../../ports/schedule.ts';
import { LookRecorder } from './poll-recorder.ts';
import { PaceView } from './rate-limit-view.ts';
import { TrackingRules } from './polling.settings.ts';

const PULSE_MS = 1_000;
const STRETCH_EVERY_MS = 5_000;
/** A stretch that differs by less is as good as the one that is set. */
const SAME_STRETCH = 0.02;
/** Due for longer than so many intervals: a backlog, not the ordinary coming and going. */
const BACKLOG_INTERVALS = 2;
const SHORTEST_BACKLOG_MS = 2_000;
const UNHEARD_EVERY_MS = 2_000;
const MAX_UNHEARD = 500;

/** Once a second: what the replicas know of the provider, how far behind the schedule is, and what follows from it. */
@Injectable()
export class Pulse {
  private readonly log = new Logger('Tracker');
  private nextAt = 0;
  private stretchAt = 0;
  private unheardAt = 0;
  /** Since when the provider can't be asked as usual, as this process saw it. */
  private troubledSince: number | null = null;
  private isBehind = false;

  constructor(
    private readonly schedule: Schedule,
    private readonly pace: ProviderPace,
    private readonly view: PaceView,
    private readonly recorder: LookRecorder,
    private readonly clock: Clock,
    private readonly rules: TrackingRules,
  ) {}

  /** Does nothing until the next pulse is due. */
  async beat(): Promise<void> {
    if (performance.now() < this.nextAt) return;
    await this.view.refresh();
    await this.catchUp(Math.max(-((await this.schedule.nextDueInMs()) ?? 0), 0));
    await this.fit();
    await this.tellUnheard();
    this.nextAt = performance.now() + PULSE_MS;
  }

  /** After a downtime everything is due at once: it is spread over an interval, not fired. */
  private async catchUp(lagMs: number): Promise<void> {
    const { pollIntervalMs } = this.rules.urgency;
    if (this.view.isOpen) return;
    if (!this.isBehind && lagMs > Math.max(BACKLOG_INTERVALS * pollIntervalMs, SHORTEST_BACKLOG_MS)) {
      await this.pace.spread();
      await this.view.refresh();
      this.isBehind = true;
      this.log.warn(`the schedule is ${Math.round(lagMs / 1_000)} s behind`);
    } else if (this.isBehind && lagMs < pollIntervalMs) {
      this.isBehind = false;
      this.log.log('the schedule is kept again');
    }
  }

  /** Stretches intervals to what the provider may be asked. */
  private async fit(): Promise<void> {
    const { requestsPerSecond, stretch } = this.view;
    const isUnlimited = requestsPerSecond === Number.POSITIVE_INFINITY;
    if (isUnlimited && stretch === NO_STRETCH) return;
    if (performance.now() < this.stretchAt) return;
    this.stretchAt = performance.now() + STRETCH_EVERY_MS;
    const fitting = isUnlimited ? NO_STRETCH : await this.fitting();
    if (isAbout(fitting, stretch)) return;
    await this.pace.stretch(fitting);
    await this.view.refresh();
    this.tell(fitting);
  }

  private async fitting(): Promise<Stretch> {
    const demand = await this.pace.demand();
    const overdue = demand.reduce((sum, each) => sum + each.overdue, 0);
    return stretchFor(demand, this.view.plannedLooks(overdue), this.rules.urgency.pollIntervalMs);
  }

  private tell(stretch: Stretch): void {
    const factors = stretch.map((factor) => factor.toFixed(1)).join(', ');
    this.log.debug(`intervals are stretched by ${factors} (in flight, attended, unattended, watching)`);
  }

  /** While the provider can't be asked, or not as often as usual, its silence about each payment is told all the same. */
  private async tellUnheard(): Promise<void> {
    const now = performance.now();
    if (!this.view.isOpen && !this.view.isSlowed) this.troubledSince = null;
    else this.troubledSince ??= now;
    if (this.troubledSince === null || now < this.unheardAt) return;
    this.unheardAt = now + UNHEARD_EVERY_MS;
    const troubledMs = now - this.troubledSince;
    const { stalledAfterMs } = this.rules;
    const claims = await this.schedule.claimUnheard(MAX_UNHEARD, stalledAfterMs, troubledMs);
    const at = this.clock.now();
    await Promise.all(claims.map((claim) => this.recorder.recordSilence(claim, at)));
  }
}

function isAbout(a: Stretch, b: Stretch): boolean {
  return a.every((factor, index) => Math.abs(factor - (b[index] ?? 1)) <= SAME_STRETCH * factor);
}
