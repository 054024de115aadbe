import { plannedRate } from '../../src/domain/polling/interval-scale.ts';
import { URGENCY } from '../../src/domain/polling/urgency.ts';
import { minGapMs, stalledAfterMs, urgencyRules } from '../../src/domain/polling/urgency-rules.ts';
import { rateOf } from '../../src/domain/rate-limit/rate-limit.ts';
import { PollingSettings } from '../../src/features/polling/polling.settings.ts';
import type { Tracker } from '../../src/features/polling/tracker.ts';
import { WakeSignal } from '../../src/platform/scheduling/wake-signal.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import type { OpenDemand, RateLimitState } from '../../src/ports/provider-rate-limit.ts';
import type { Claim, DueClaim, Spread } from '../../src/ports/schedule.ts';
import { FakePayments } from '../../test/support/fakes/payments.fake.ts';
import { FakeProviderRateLimit } from '../../test/support/fakes/provider-rate-limit.fake.ts';
import { FakeSchedule } from '../../test/support/fakes/schedule.fake.ts';
import type { Invariants } from './invariants.ts';
import type { Life } from './lives.ts';
import type { Observations } from './observations.ts';
import type { SimulationOptions } from './options.ts';
import { PolledProvider } from './polled-provider.ts';
import type { Random } from './random.ts';
import { PROVIDER_TIMEOUT_MS, type SimulatedProvider } from './simulated-provider.ts';
import { TrackedPayment } from './tracked-payment.ts';
import { trackerOn } from './tracker-on.ts';
import { databaseBackAt, type Trouble } from './troubles.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** Production's times, at the defaults. */
export const TIMES = {
  pollIntervalMs: 7_000,
  pollMinGapMs: 5_000,
  lateWatchMs: 86_400_000,
  stalledAfterMs: 900_000,
  speed: 1,
};
export const MIN_GAP_MS = minGapMs(TIMES);
const BUDGET_EVERY_MS = 5_000;
/** The time between the orders that a lost database refused, once it is back. */
const ORDERS_COME_MS = 20;
/** A page that shows the status requests it all the time: further hints within this time have no effect. */
const HINT_EVERY_MS = 15_000;

class WatchedRateLimit extends FakeProviderRateLimit {
  onRecovered: () => void = () => undefined;
  isAway: () => boolean = () => false;

  override async state(): Promise<RateLimitState> {
    throwIf(this.isAway());
    return super.state();
  }

  override async closeCircuit(): Promise<Spread> {
    const wasOpen = this.rateLimit.circuit !== 'closed';
    const spread = await super.closeCircuit();
    if (wasOpen) this.onRecovered();
    return spread;
  }
}

class WatchedSchedule extends FakeSchedule {
  isAway: () => boolean = () => false;

  override async read(claims: readonly DueClaim[]): Promise<Claim[]> {
    throwIf(this.isAway());
    return super.read(claims);
  }
}

function throwIf(isAway: boolean): void {
  if (isAway) throw new StoreUnavailable();
}

/** Paybell's poller on the virtual clock, with its stores in memory. */
export class Paybell {
  readonly tracked: TrackedPayment[] = [];
  private readonly settings: PollingSettings;
  private readonly payments: FakePayments;
  private readonly schedule: WatchedSchedule;
  private readonly rateLimit: WatchedRateLimit;
  private readonly provider: PolledProvider;
  private readonly tracker: Tracker;

  constructor(
    private readonly time: VirtualClock,
    provider: SimulatedProvider,
    { rpm, watchMinutes }: SimulationOptions,
    private readonly troubles: readonly Trouble[],
    private readonly observations: Observations,
    private readonly invariants: Invariants,
    random: Random,
  ) {
    const rules = urgencyRules({ ...TIMES, lateWatchMs: watchMinutes * 60_000 });
    this.settings = new PollingSettings(rules, stalledAfterMs(TIMES), MIN_GAP_MS, PROVIDER_TIMEOUT_MS);
    const { clock } = time;
    const due = new WakeSignal(time);
    this.payments = new FakePayments(clock);
    this.schedule = new WatchedSchedule(this.payments, clock, due, () => random.next());
    this.provider = new PolledProvider(provider, rpm, (quoteId) => this.of(quoteId).life, {
      asked: (life) => {
        this.polled(life);
        observations.asked(life, time.now);
      },
      answered: (life, answer) => {
        if (answer.kind === 'status') observations.found(life, answer.index, time.now);
      },
    });
    this.rateLimit = new WatchedRateLimit(this.schedule, this.provider, clock);
    this.rateLimit.onRecovered = () => this.recovered();
    this.rateLimit.isAway = this.schedule.isAway = () => this.isDatabaseAway;
    const { schedule, rateLimit, settings } = this;
    this.tracker = trackerOn(time, { schedule, provider: this.provider, rateLimit, settings, due });
  }

  get isDone(): boolean {
    return this.schedule.rows.size === 0;
  }

  start(): void {
    this.tracker.start();
    this.watchBudget();
    for (const { kind, to } of this.troubles)
      if (kind === 'database') this.time.at(to + ORDERS_COME_MS, () => this.recovered());
  }

  async track(life: Life): Promise<void> {
    const quoteId = String(life.id);
    const quote = { provider: 'simulated', quoteText: '{}', orderId: null, metadata: null, report: null };
    const { expectedMs } = life;
    await this.payments.add({ ...quote, quoteId, expectedMs, expiresAt: new Date(life.expiresAt) });
    this.tracked.push(new TrackedPayment(life, this.payments, this.schedule));
    if (life.pageUntil !== null) await this.hintUntil(quoteId, life.pageUntil);
  }

  private of(quoteId: string): TrackedPayment {
    return this.tracked[Number(quoteId)] as TrackedPayment;
  }

  private polled(life: Life): void {
    const tracked = this.of(String(life.id));
    this.invariants.polled(tracked, this.time.now);
    tracked.polledAt = this.time.now;
  }

  private async hintUntil(quoteId: string, until: number): Promise<void> {
    if (this.time.now > until || this.of(quoteId).isClosed) return;
    if (!this.isDatabaseAway) await this.schedule.hint([quoteId], this.settings.leaseMs);
    this.time.after(HINT_EVERY_MS, () => void this.hintUntil(quoteId, until));
  }

  private get isDatabaseAway(): boolean {
    return databaseBackAt(this.troubles, this.time.now) !== null;
  }

  private recovered(): void {
    const perSecond = this.schedule.demand().reduce((sum, each) => sum + each.perSecond, 0);
    this.invariants.recovered(perSecond, this.time.now);
    this.observations.recovered(this.time.now);
  }

  /** Reports the allowed and the demanded polls, which the invariants use. */
  private watchBudget(): void {
    const { now } = this.time;
    const { limits } = this.provider;
    const { rateLimit } = this.rateLimit;
    const demand = this.schedule.demand();
    const planned = plannedRate(rateLimit, overdueOf(demand), now, limits);
    const isShut = this.isDatabaseAway || rateLimit.circuit !== 'closed' || rateLimit.pausedUntil > now;
    const perSecond = isShut ? 0 : Math.min(rateOf(rateLimit, now, limits), planned);
    const openDemand = demand.filter(({ urgency }) => urgency < URGENCY.watching);
    const open = openDemand.reduce((sum, { payments }) => sum + payments, 0);
    this.invariants.budgetIs({ perSecond, open, overdue: overdueOf(openDemand) }, now);
    this.time.after(BUDGET_EVERY_MS, () => this.watchBudget());
  }
}

function overdueOf(demand: readonly OpenDemand[]): number {
  return demand.reduce((sum, { overdue }) => sum + overdue, 0);
}
