import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';

import { Clock } from '../../ports/clock.ts';
import { Meter } from '../../ports/meter.ts';
import {
  PaymentProviders,
  ProviderCells,
  ProviderDatabase,
  type ProviderCell,
  type ProviderStores,
} from '../../ports/provider-cell.ts';
import { DatabaseHealth, StartRefused } from '../../ports/readiness.ts';
import { Timers } from '../../ports/timers.ts';
import { Tracer } from '../../ports/tracer.ts';
import { DeliverySignals } from '../../platform/scheduling/delivery-signals.ts';
import { DueSignals, type WakeSignal } from '../../platform/scheduling/wake-signal.ts';
import type { PaymentProvider } from '../../ports/payment-provider.ts';
import { PollingRules, PollingSettings } from './polling.settings.ts';
import { AnswerTimes } from './provider-troubles.ts';
import { PollRecorder } from './poll-recorder.ts';
import { ProviderCircuit } from './provider-circuit.ts';
import { ProviderLimiter } from './provider-limiter.ts';
import { RateLimitView } from './rate-limit-view.ts';
import { ScheduledPollRequests } from './scheduled-poll-requests.ts';
import { TrackerMaintenance } from './tracker-maintenance.ts';
import { Tracker } from './tracker.ts';

/** Makes a cell for each provider. In the role of the tracker it runs their trackers. */
@Injectable()
export class PollingCells implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  readonly cells: ProviderCells;
  private readonly log = new Logger('Provider');
  private readonly polling: readonly PollingCell[];
  private stopped: Promise<unknown> | null = null;

  constructor(
    private readonly providers: PaymentProviders,
    private readonly stores: ProviderDatabase,
    private readonly database: DatabaseHealth,
    private readonly rules: PollingRules,
    meter: Meter,
    clock: Clock,
    timers: Timers,
    tracer: Tracer,
    deliveries: DeliverySignals,
    due: DueSignals,
  ) {
    const ports = { meter, clock, timers, tracer, deliveries };
    this.polling = providers.all.map(
      (provider) => new PollingCell(provider, stores.storesOf(provider), rules, ports, due.of(provider.name)),
    );
    this.cells = new ProviderCells(this.polling, providers.registered);
    database.beforeReady(() => this.refuseLost());
  }

  onApplicationBootstrap(): void {
    if (!this.rules.isTracker) return;
    void this.database.whenReady().then(() => {
      for (const { tracker } of this.polling) tracker.start();
    });
  }

  /** Throws StartRefused if no tracker would poll some open payments. */
  private async refuseLost(): Promise<void> {
    const names = this.providers.all.map(({ name }) => name);
    for (const { provider, active, watched } of await this.stores.openOfOthers(names)) {
      const others = `${counted(watched)} of it may still get a late deposit`;
      if (active > 0)
        throw new StartRefused(
          `PROVIDER does not name "${provider}", and ${counted(active)} of it ${active === 1 ? 'is' : 'are'} open${watched > 0 ? `; ${others}` : ''}. Name it in PROVIDER, or in PROVIDER_LEAVE to poll them no more.`,
        );
      this.log.warn(`PROVIDER does not name "${provider}": ${others}, and no tracker polls them`);
    }
  }

  /** Starts to stop at once, since Nest awaits the later shutdown hooks one after another. */
  onModuleDestroy(): void {
    for (const { pollRequests } of this.polling) pollRequests.stop();
    if (this.rules.isTracker) this.stopped ??= Promise.all(this.polling.map(({ tracker }) => tracker.stop()));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.stopped, ...this.polling.map(({ pollRequests }) => pollRequests.writeRest())]);
  }
}

function counted(payments: number): string {
  return `${payments} payment${payments === 1 ? '' : 's'}`;
}

/** The ports that all cells share. */
export interface CellPorts {
  readonly meter: Meter;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly tracer: Tracer;
  readonly deliveries: DeliverySignals;
}

/** One provider with its own circuit, view of the rate limit, recorder of answers, and tracker. */
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
    { meter, clock, timers, tracer, deliveries }: CellPorts,
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
    const { pollIntervalMs } = settings.urgency;
    const circuit = new ProviderCircuit(rateLimit, view, answers, clock, timers, pollIntervalMs);
    const meters = { all: meter, own };
    const judging = [schedule, deliveries, circuit, meters, clock, timers, settings, tracer] as const;
    const recorder = new PollRecorder(...judging);
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
