import type { Clock } from '../../ports/clock.ts';
import type { Meter } from '../../ports/meter.ts';
import type { PaymentProvider } from '../../ports/payment-provider.ts';
import type { ProviderCell, ProviderStores } from '../../ports/provider-cell.ts';
import type { Timers } from '../../ports/timers.ts';
import type { Tracer } from '../../ports/tracer.ts';
import type { WakeSignal } from '../../platform/scheduling/wake-signal.ts';
import { AnswerTimes } from './answer-times.ts';
import { PollRecorder } from './poll-recorder.ts';
import { PollingSettings, type PollingRules } from './polling.settings.ts';
import { ProviderCircuit } from './provider-circuit.ts';
import { ProviderLimiter } from './provider-limiter.ts';
import { RateLimitView } from './rate-limit-view.ts';
import { ScheduledPollRequests } from './scheduled-poll-requests.ts';
import { TrackerMaintenance } from './tracker-maintenance.ts';
import { Tracker } from './tracker.ts';

/** The ports that all cells share. */
export interface CellPorts {
  readonly meter: Meter;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly tracer: Tracer;
}

/** One provider with its own circuit, view of its rate limit, recorder of its answers, and tracker. */
export class PollingCell implements ProviderCell {
  readonly schedule: ProviderStores['schedule'];
  readonly rateLimit: ProviderStores['rateLimit'];
  readonly quoteBudget: ProviderStores['quoteBudget'];
  readonly health: ProviderCircuit;
  readonly pollRequests: ScheduledPollRequests;
  readonly tracker: Tracker;

  constructor(
    readonly provider: PaymentProvider,
    stores: ProviderStores,
    rules: PollingRules,
    { meter, clock, timers, tracer }: CellPorts,
    due: WakeSignal,
  ) {
    const { schedule, rateLimit } = stores;
    this.schedule = schedule;
    this.rateLimit = rateLimit;
    this.quoteBudget = stores.quoteBudget;
    const settings = PollingSettings.of(rules, provider.limits);
    const view = new RateLimitView(rateLimit, provider, timers);
    const answers = new AnswerTimes(provider, timers);
    const own = meter.of(provider.name);
    const circuit = new ProviderCircuit(rateLimit, view, answers, clock);
    const recorder = new PollRecorder(
      schedule,
      circuit,
      { all: meter, own },
      clock,
      timers,
      settings,
      tracer,
    );
    const limiter = new ProviderLimiter(rateLimit, view, circuit, timers);
    const maintenance = new TrackerMaintenance(schedule, rateLimit, view, recorder, clock, timers, settings);
    const requests = [schedule, provider, recorder, rateLimit, circuit, own, settings] as const;
    this.health = circuit;
    this.pollRequests = new ScheduledPollRequests(...requests);
    const parts = { recorder, limiter, maintenance, view, answers };
    this.tracker = new Tracker(schedule, provider, parts, timers, own, settings, due);
  }

  get watch(): ProviderCircuit {
    return this.health;
  }
}
