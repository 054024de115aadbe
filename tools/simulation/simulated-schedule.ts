import { latestPoll, pollBy } from '../../src/domain/polling/due-by.ts';
import type { Payment } from '../../src/domain/payment/payment.ts';
import {
  claimSlackMs,
  FIRST_POLL_SPREAD,
  JITTER,
  scaledMs,
  scaleUpToMs,
} from '../../src/domain/polling/spacing.ts';
import { NO_SCALE, type IntervalScale } from '../../src/domain/polling/interval-scale.ts';
import {
  URGENCY,
  type NextPoll,
  type UrgencyClass,
  type UrgencyRules,
} from '../../src/domain/polling/urgency.ts';
import { DemandCount } from './demand-count.ts';
import { Heap } from '../../test/support/heap.ts';
import type { Life } from './lives.ts';
import type { Random } from './random.ts';

/** A payment as the schedule holds it; the life is only passed on. */
export interface Tracked {
  readonly life: Life;
  payment: Payment;
  dueAt: number;
  intervalMs: number;
  urgency: UrgencyClass;
  hintedAt: Date | null;
  polledAt: number | null;
  failures: number;
  token: number;
  isClosed: boolean;
}

interface Place {
  readonly tracked: Tracked;
  readonly dueAt: number;
  readonly urgency: UrgencyClass;
}

const HINT_LASTS_MS = 15_000;

/** The table of what is due when, as PostgreSQL keeps it, in memory. */
export class SimulatedSchedule {
  readonly all: Tracked[] = [];
  readonly demand = new DemandCount();
  scale: IntervalScale = NO_SCALE;
  private readonly pending = new Heap<Place>();
  private readonly due = new Heap<Place>();
  private readonly slackMs: readonly number[];
  private readonly scaledUpToMs: readonly number[];

  constructor(
    private readonly rules: UrgencyRules,
    private readonly minGapMs: number,
    private readonly random: Random,
  ) {
    this.slackMs = claimSlackMs(rules.pollIntervalMs);
    this.scaledUpToMs = scaleUpToMs(rules);
  }

  /** Payments that are due, and wait for their turn. */
  get overdue(): number {
    return this.due.count(isStanding);
  }

  get nextDueAt(): number {
    return this.pending.firstKey;
  }

  /** The first look comes a little late, and not in step with what was made at the same time. */
  add(life: Life, payment: Payment, next: NextPoll, now: number): Tracked {
    const intervalMs = next.inMs ?? 0;
    const tracked: Tracked = {
      life,
      payment,
      intervalMs,
      urgency: next.urgency,
      dueAt: now + this.firstWaitMs(intervalMs, next.urgency),
      hintedAt: null,
      polledAt: null,
      failures: 0,
      token: 0,
      isClosed: false,
    };
    this.all.push(tracked);
    this.demand.count(tracked, 1);
    this.place(tracked);
    return tracked;
  }

  /** Whose turn it is, if any; `claim` or nothing follows. */
  firstDue(now: number): Tracked | undefined {
    while (this.pending.firstKey <= now) {
      const place = this.pending.take() as Place;
      if (isStanding(place)) this.due.add(place.dueAt + (this.slackMs[place.urgency] ?? 0), place);
    }
    for (let first = this.due.peek(); first !== undefined; first = this.due.peek()) {
      if (isStanding(first)) return first.tracked;
      this.due.take();
    }
    return undefined;
  }

  /** The claim itself schedules the next look. */
  claim(tracked: Tracked, now: number): void {
    const { urgency, intervalMs, dueAt } = tracked;
    const waitMs = this.waitMs(intervalMs, urgency) * (1 + JITTER[urgency] * this.random.next());
    tracked.dueAt = Math.max(Math.min(dueAt + waitMs, this.latest(tracked, now)), now + this.minGapMs);
    tracked.polledAt = now;
    tracked.token++;
    this.place(tracked);
  }

  reschedule(tracked: Tracked, next: NextPoll, now: number): void {
    this.demand.count(tracked, -1);
    tracked.isClosed = next.inMs === null;
    if (next.inMs === null) return;
    tracked.intervalMs = next.inMs;
    tracked.urgency = next.urgency;
    const soonest = (tracked.polledAt ?? now) + this.minGapMs;
    const wantedAt = now + this.waitMs(next.inMs, next.urgency);
    tracked.dueAt = Math.max(Math.min(wantedAt, this.latest(tracked, now)), soonest);
    this.demand.count(tracked, 1);
    this.place(tracked);
  }

  /** Somebody asked for the payment: only an awaiting one gains by it. */
  hint(tracked: Tracked, now: number): void {
    const isAwaiting = tracked.urgency === URGENCY.attended || tracked.urgency === URGENCY.unattended;
    const isKnown = now - (tracked.hintedAt?.getTime() ?? Number.NEGATIVE_INFINITY) < HINT_LASTS_MS;
    if (tracked.isClosed || !isAwaiting || isKnown) return;
    tracked.hintedAt = new Date(now);
    if (tracked.urgency === URGENCY.attended) return;
    this.demand.count(tracked, -1);
    tracked.urgency = URGENCY.attended;
    this.demand.count(tracked, 1);
    const soonest = (tracked.polledAt ?? now) + this.waitMs(tracked.intervalMs, URGENCY.attended);
    tracked.dueAt = Math.min(tracked.dueAt, Math.max(now, soonest));
    this.place(tracked);
  }

  private firstWaitMs(intervalMs: number, urgency: UrgencyClass): number {
    const scaledByMs = this.waitMs(intervalMs, urgency) - intervalMs;
    const spread = FIRST_POLL_SPREAD * this.random.next();
    return intervalMs * (1 + spread) + scaledByMs * (1 - spread);
  }

  private waitMs(intervalMs: number, urgency: UrgencyClass): number {
    return scaledMs(intervalMs, urgency, this.scale, this.scaledUpToMs);
  }

  private latest({ payment }: Tracked, now: number): number {
    const by = pollBy(payment);
    return by === null ? Number.POSITIVE_INFINITY : latestPoll(by.getTime(), now, this.rules.pollIntervalMs);
  }

  private place(tracked: Tracked): void {
    this.pending.add(tracked.dueAt, { tracked, dueAt: tracked.dueAt, urgency: tracked.urgency });
  }
}

/** A payment that has moved since leaves its old places behind. */
function isStanding({ tracked, dueAt, urgency }: Place): boolean {
  return !tracked.isClosed && tracked.dueAt === dueAt && tracked.urgency === urgency;
}
