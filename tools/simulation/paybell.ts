import { plannedRate } from '../../src/domain/polling/planned-rate.ts';
import { URGENCY } from '../../src/domain/polling/urgency.ts';
import { minGapMs, stalledAfterMs, urgencyRules } from '../../src/domain/polling/urgency-rules.ts';
import { rateOf } from '../../src/domain/rate-limit/rate-limit.ts';
import { PollingSettings } from '../../src/features/polling/polling.settings.ts';
import type { Tracker } from '../../src/features/polling/tracker.ts';
import { WakeSignal } from '../../src/platform/scheduling/wake-signal.ts';
import type { OpenDemand } from '../../src/ports/provider-rate-limit.ts';
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
import type { VirtualClock } from './virtual-clock.ts';

/** As in production, at the defaults. */
export const TIMES = {
  pollIntervalMs: 7_000,
  pollMinGapMs: 5_000,
  lateWatchMs: 86_400_000,
  stalledAfterMs: 900_000,
  speed: 1,
};
export const MIN_GAP_MS = minGapMs(TIMES);
const BUDGET_EVERY_MS = 5_000;
/** A page that shows the status asks for it all the time; hints within this time of another change nothing. */
const HINT_EVERY_MS = 15_000;

class WatchedRateLimit extends FakeProviderRateLimit {
  onRecovered: (wantedPerSecond: number) => void = () => undefined;

  override async closeCircuit(): Promise<void> {
    const wasOpen = this.rateLimit.circuit !== 'closed';
    await super.closeCircuit();
    if (!wasOpen) return;
    const demand = await this.demand();
    this.onRecovered(demand.reduce((sum, { perSecond }) => sum + perSecond, 0));
  }
}

/** Paybell's poller on the virtual clock, with its stores in memory. */
export class Paybell {
  readonly tracked: TrackedPayment[] = [];
  private readonly settings: PollingSettings;
  private readonly payments: FakePayments;
  private readonly schedule: FakeSchedule;
  private readonly rateLimit: WatchedRateLimit;
  private readonly provider: PolledProvider;
  private readonly tracker: Tracker;

  constructor(
    private readonly time: VirtualClock,
    provider: SimulatedProvider,
    { rpm, watchMinutes }: SimulationOptions,
    observations: Observations,
    private readonly invariants: Invariants,
    random: Random,
  ) {
    const rules = urgencyRules({ ...TIMES, lateWatchMs: watchMinutes * 60_000 });
    this.settings = new PollingSettings(rules, stalledAfterMs(TIMES), MIN_GAP_MS, PROVIDER_TIMEOUT_MS);
    const { clock } = time;
    const due = new WakeSignal(time);
    this.payments = new FakePayments(clock);
    this.schedule = new FakeSchedule(this.payments, clock, due, () => random.next());
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
    this.rateLimit.onRecovered = (perSecond) => invariants.recovered(perSecond, time.now);
    const { schedule, rateLimit, settings } = this;
    this.tracker = trackerOn(time, { schedule, provider: this.provider, rateLimit, settings, due });
  }

  get isDone(): boolean {
    return this.schedule.rows.size === 0;
  }

  start(): void {
    this.tracker.start();
    this.watchBudget();
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
    await this.schedule.hint([quoteId], this.settings.leaseMs);
    this.time.after(HINT_EVERY_MS, () => void this.hintUntil(quoteId, until));
  }

  /** What may be polled, and what wants to be: the invariants go by both. */
  private watchBudget(): void {
    const { now } = this.time;
    const { limits } = this.provider;
    const { rateLimit } = this.rateLimit;
    const demand = this.schedule.demand();
    const planned = plannedRate(rateLimit, overdueOf(demand), now, limits);
    const isShut = rateLimit.circuit !== 'closed' || rateLimit.pausedUntil > now;
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
