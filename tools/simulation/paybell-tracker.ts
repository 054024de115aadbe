import { applyReport, openPayment } from '../../src/domain/payment/apply-report.ts';
import { newPayment, type Payment } from '../../src/domain/payment/payment.ts';
import type { Report } from '../../src/domain/payment/report.ts';
import type { Status } from '../../src/domain/payment/status.ts';
import { scaleFor } from '../../src/domain/polling/interval-scale.ts';
import { backoffMs, nextPoll, type UrgencyRules } from '../../src/domain/polling/urgency.ts';
import type { Invariants } from './invariants.ts';
import type { Life } from './lives.ts';
import type { Observations } from './observations.ts';
import { SimulatedRateLimit } from './simulated-rate-limit.ts';
import { PROVIDER_TIMEOUT_MS, type Answer, type SimulatedProvider } from './simulated-provider.ts';
import type { SimulatedSchedule, Tracked } from './simulated-schedule.ts';
import type { VirtualClock } from './virtual-clock.ts';

const SCALE_EVERY_MS = 5_000;
const ROUND_MS = 10;
const HINT_EVERY_MS = 15_000;
const STALL_RULES = { stalledAfterMs: 900_000 };
/** Paybell's tracker on the virtual clock: its own urgency, stretch, pace and state machine, with a schedule in memory. */
export class PaybellTracker {
  private wakeAt = Number.POSITIVE_INFINITY;
  private nextRoundAt = 0;
  private readonly reports = new Map<Status, Report>();
  private readonly rateLimit: SimulatedRateLimit;

  constructor(
    private readonly clock: VirtualClock,
    private readonly provider: SimulatedProvider,
    private readonly schedule: SimulatedSchedule,
    private readonly observations: Observations,
    private readonly invariants: Invariants,
    private readonly rules: UrgencyRules,
    maxRpm: number,
  ) {
    this.rateLimit = new SimulatedRateLimit({ maxRpm, timeoutMs: PROVIDER_TIMEOUT_MS });
  }

  start(): void {
    this.rescale();
  }

  track(life: Life): void {
    const { now } = this.clock;
    const quote = { quoteId: String(life.id), orderId: null, metadata: null, expectedMs: life.expectedMs };
    const created = newPayment({ ...quote, expiresAt: new Date(life.expiresAt) }, new Date(now));
    const { payment } = openPayment(created);
    const tracked = this.schedule.add(life, payment, this.nextOf(payment, null), now);
    if (life.pageUntil !== null) this.hintUntil(tracked, life.pageUntil);
    this.wakeBy(tracked.dueAt);
  }

  private hintUntil(tracked: Tracked, until: number): void {
    const { now } = this.clock;
    if (now > until || tracked.isClosed) return;
    this.schedule.hint(tracked, now);
    this.wakeBy(tracked.dueAt);
    this.clock.at(now + HINT_EVERY_MS, () => {
      this.hintUntil(tracked, until);
    });
  }

  private wakeBy(instant: number): void {
    const at = Math.max(instant, this.nextRoundAt);
    if (at >= this.wakeAt) return;
    this.wakeAt = at;
    this.clock.at(at, () => {
      if (this.wakeAt === at) this.round();
    });
  }

  private round(): void {
    const { now } = this.clock;
    this.wakeAt = Number.POSITIVE_INFINITY;
    this.nextRoundAt = now + ROUND_MS;
    for (let due = this.schedule.firstDue(now); due !== undefined; due = this.schedule.firstDue(now)) {
      const admission = this.rateLimit.takeOne(now);
      if (admission.granted === 0) {
        this.wakeBy(now + admission.waitMs);
        return;
      }
      this.poll(due, admission.isProbe);
    }
    this.wakeBy(this.schedule.nextDueAt);
  }

  private poll(tracked: Tracked, isProbe: boolean): void {
    const { now } = this.clock;
    this.invariants.polled(tracked, now);
    this.observations.asked(tracked.life, now);
    this.schedule.claim(tracked, now);
    const { token } = tracked;
    this.provider.ask(tracked.life, (answer) => {
      this.answered(tracked, answer, isProbe);
      if (tracked.token === token && !tracked.isClosed) this.record(tracked, answer);
      this.wakeBy(tracked.dueAt);
    });
  }

  private answered(tracked: Tracked, answer: Answer, isProbe: boolean): void {
    const { now } = this.clock;
    const { pollsPerSecond } = this.schedule.demand;
    const isBack = this.rateLimit.answered(answer, tracked.life.id, isProbe, pollsPerSecond, now);
    if (!isBack) return;
    this.invariants.recovered(now, pollsPerSecond);
    this.wakeBy(now);
  }

  /** What an answer says of the payment. */
  private record(tracked: Tracked, answer: Answer): void {
    const { now } = this.clock;
    if (answer.kind === 'refused') return;
    if (answer.kind === 'failed') {
      if (this.rateLimit.isClosed) this.backOff(tracked);
      return;
    }
    const transition = applyReport(tracked.payment, this.reportOf(answer.status), new Date(now), STALL_RULES);
    this.observations.found(tracked.life, answer.index, now);
    const next = this.nextOf(transition.payment, tracked.hintedAt);
    const isQuiet =
      transition.payment === tracked.payment &&
      tracked.failures === 0 &&
      next.inMs === tracked.intervalMs &&
      next.urgency === tracked.urgency;
    tracked.payment = transition.payment;
    tracked.failures = 0;
    if (!isQuiet) this.schedule.reschedule(tracked, next, now);
  }

  private backOff(tracked: Tracked): void {
    tracked.failures++;
    const usual = this.nextOf(tracked.payment, tracked.hintedAt);
    // The last look of the late watch that fails is made again: it has seen nothing.
    const inMs = Math.max(usual.inMs ?? 0, backoffMs(tracked.failures, this.rules));
    this.schedule.reschedule(tracked, { ...usual, inMs }, this.clock.now);
  }

  private nextOf(payment: Payment, hintedAt: Date | null): ReturnType<typeof nextPoll> {
    return nextPoll(payment, new Date(this.clock.now), this.rules, hintedAt);
  }

  private reportOf(status: Status): Report {
    const known = this.reports.get(status);
    if (known !== undefined) return known;
    const report = { quoteId: null, status, expiresAt: null, partDigests: {}, text: '', digest: status };
    this.reports.set(status, report);
    return report;
  }

  private rescale(): void {
    const { now } = this.clock;
    const { demand, overdue } = this.schedule;
    const planned = this.rateLimit.planned(overdue, now);
    this.schedule.scale = scaleFor(demand.all, planned, this.rules.pollIntervalMs);
    this.invariants.budgetIs(Math.min(this.rateLimit.rate(now), planned), demand.open, now);
    this.clock.at(now + SCALE_EVERY_MS, () => {
      this.rescale();
    });
  }
}
