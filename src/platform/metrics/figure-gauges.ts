import { Gauge, type Registry } from 'prom-client';

import type { RateLimit } from '../../domain/rate-limit/rate-limit.ts';
import { isFinal, STATUSES } from '../../domain/payment/status.ts';
import { URGENCY_NAMES } from '../../domain/polling/urgency.ts';
import type { Figures } from '../../ports/metrics.ts';

const CIRCUIT_STATES: readonly RateLimit['circuit'][] = ['closed', 'open', 'credentials'];
const OPEN_STATUSES = STATUSES.filter((status) => !isFinal(status));

/** Gauges of the figures in the database. A figure that is not known now has no series, so that no stale value is scraped. */
export class FigureGauges {
  private readonly databaseUp: Gauge;
  private readonly openPayments: Gauge<'status' | 'class'>;
  private readonly lag: Gauge;
  private readonly budgetLimit: Gauge;
  private readonly budgetAvailable: Gauge;
  private readonly scale: Gauge<'class'>;
  private readonly circuit: Gauge<'state'>;
  private readonly logHeld: Gauge;
  private readonly epoch: Gauge;

  constructor(registry: Registry) {
    const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]): Gauge<Label> =>
      new Gauge({ name, help, labelNames, registers: [registry] });
    this.databaseUp = gauge('paybell_database_up', 'Whether the database returned its figures: 1 or 0.');
    this.openPayments = gauge(
      'paybell_open_payments',
      'Payments that are still polled, by status and class of urgency.',
      'status',
      'class',
    );
    this.lag = gauge('paybell_schedule_lag_seconds', 'How long the most overdue payment has been due.');
    this.budgetLimit = gauge(
      'paybell_budget_limit_per_minute',
      'The current rate limit, in requests a minute; absent without a limit.',
    );
    this.budgetAvailable = gauge(
      'paybell_budget_available',
      'Tokens in the bucket: requests that may be sent at once; absent without a limit.',
    );
    this.scale = gauge(
      'paybell_interval_stretch',
      'The interval scale: the factor by which the intervals of a class are multiplied to fit the rate limit.',
      'class',
    );
    this.circuit = gauge('paybell_provider_circuit', 'The state of the provider’s circuit: 1 or 0.', 'state');
    this.logHeld = gauge(
      'paybell_event_log_held_seconds',
      'Age of the oldest event that an open transaction keeps out of the log; 0 when there is none.',
    );
    this.epoch = gauge(
      'paybell_database_epoch',
      'Grows each time that the database went back; 0 while it never did.',
    );
  }

  /** Null: the database does not answer. */
  set(figures: Figures | null): void {
    this.databaseUp.set(figures === null ? 0 : 1);
    this.clear();
    if (figures === null) return;
    this.setSchedule(figures.schedule);
    setFinite(this.budgetLimit, figures.budget.perMinute);
    setFinite(this.budgetAvailable, figures.budget.available);
    for (const [urgency, name] of URGENCY_NAMES.entries())
      this.scale.set({ class: name }, figures.scale[urgency] ?? 1);
    this.logHeld.set(figures.logHeldMs / 1_000);
    this.epoch.set(figures.epoch);
    for (const state of CIRCUIT_STATES) this.circuit.set({ state }, state === figures.circuit ? 1 : 0);
  }

  private setSchedule({ open, lagMs }: Figures['schedule']): void {
    // Zeros too: a query over absent series returns no value, where it should return 0.
    for (const status of OPEN_STATUSES)
      for (const name of URGENCY_NAMES) this.openPayments.set({ status, class: name }, 0);
    for (const { status, urgency, payments } of open)
      this.openPayments.set({ status, class: URGENCY_NAMES[urgency] }, payments);
    this.lag.set(lagMs / 1_000);
  }

  private clear(): void {
    for (const gauge of [this.openPayments, this.scale, this.circuit]) gauge.reset();
    // `reset` would leave a gauge without labels at 0.
    for (const gauge of [this.lag, this.budgetLimit, this.budgetAvailable, this.logHeld, this.epoch])
      gauge.remove();
  }
}

/** Leaves out an infinite limit: it would spoil every sum, average and axis. */
function setFinite(gauge: Gauge, value: number): void {
  if (Number.isFinite(value)) gauge.set(value);
}
