import type { Gauge } from 'prom-client';

import { isFinal, STATUSES } from '../../domain/payment/status.ts';
import { CHANGES } from '../../domain/polling/short-budget.ts';
import { URGENCY_NAMES } from '../../domain/polling/urgency.ts';
import type { AskingFigures, ProviderFigures } from '../../ports/metrics.ts';
import type { SeriesIn } from './series-in.ts';

const CIRCUIT_STATES: readonly AskingFigures['circuit'][] = ['closed', 'open', 'credentials', 'paused'];
const NEEDED_HELP =
  'Requests a minute that the open payments need where the budget is too small; 0: it suffices.';
const OPEN_STATUSES = STATUSES.filter((status) => !isFinal(status));

/** Gauges of each provider's state in the database. */
export class ProviderGauges {
  private readonly openPayments: Gauge<'provider' | 'status' | 'class'>;
  private readonly lag: Gauge<'provider'>;
  private readonly unanswered: Gauge<'provider'>;
  private readonly budgetLimit: Gauge<'provider'>;
  private readonly budgetAvailable: Gauge<'provider'>;
  private readonly scale: Gauge<'provider' | 'class'>;
  private readonly circuit: Gauge<'provider' | 'state'>;
  private readonly unread: Gauge<'provider'>;
  private readonly needed: Gauge<'provider'>;
  private readonly noticed: Gauge<'provider' | 'change'>;

  constructor(series: SeriesIn) {
    const gauge = <Label extends string = never>(name: string, help: string, ...labels: Label[]) =>
      series.gauge<'provider' | Label>(name, help, 'provider', ...labels);
    this.openPayments = gauge(
      'paybell_open_payments',
      'Payments that are still polled, by status and class of urgency.',
      'status',
      'class',
    );
    this.lag = gauge('paybell_schedule_lag_seconds', 'How long the most overdue payment has been due.');
    this.unanswered = gauge(
      'paybell_unanswered_quotes',
      'Requests for quotes of the last day without an answer: each may have opened an address that no payer was shown.',
    );
    this.budgetLimit = gauge(
      'paybell_budget_limit_per_minute',
      'The current rate limit, in requests a minute; absent without a limit.',
    );
    this.budgetAvailable = gauge(
      'paybell_budget_available',
      'Tokens in the bucket: requests that may be sent at once; absent without a limit.',
    );
    this.scale = gauge(
      'paybell_interval_scale',
      'The interval scale: the factor by which the intervals of a class are multiplied to fit the rate limit.',
      'class',
    );
    this.circuit = gauge('paybell_provider_circuit', 'The state of the provider’s circuit: 1 or 0.', 'state');
    this.unread = gauge(
      'paybell_provider_lists_unread',
      'Whether a running process cannot read the lists of the provider, gets no quotes, or is refused its key: 1 or 0.',
    );
    this.needed = gauge('paybell_budget_needed_per_minute', NEEDED_HELP);
    this.noticed = gauge(
      'paybell_noticed_after_seconds',
      'How long until a change is noticed with a budget that is too small; 0: it suffices.',
      'change',
    );
  }

  set({ provider, schedule, unansweredQuotes, asking }: ProviderFigures): void {
    // Sets zeros too: over absent series a query returns nothing, where it should return 0.
    for (const status of OPEN_STATUSES)
      for (const name of URGENCY_NAMES) this.openPayments.set({ provider, status, class: name }, 0);
    for (const { status, urgency, payments } of schedule.open)
      this.openPayments.set({ provider, status, class: URGENCY_NAMES[urgency] }, payments);
    this.lag.set({ provider }, schedule.lagMs / 1_000);
    this.unanswered.set({ provider }, unansweredQuotes);
    if (asking !== null) this.setAsking(provider, asking);
  }

  clear(): void {
    const { openPayments, lag, unanswered, budgetLimit, budgetAvailable, scale, circuit } = this;
    for (const gauge of [openPayments, lag, unanswered, budgetLimit, budgetAvailable, scale, circuit])
      gauge.reset();
    for (const gauge of [this.unread, this.needed, this.noticed]) gauge.reset();
  }

  private setAsking(provider: string, { budget, circuit, scale, short, isUnread }: AskingFigures): void {
    setFinite(this.budgetLimit, provider, budget.perMinute);
    setFinite(this.budgetAvailable, provider, budget.available);
    for (const [urgency, name] of URGENCY_NAMES.entries())
      this.scale.set({ provider, class: name }, scale[urgency] ?? 1);
    for (const state of CIRCUIT_STATES) this.circuit.set({ provider, state }, state === circuit ? 1 : 0);
    this.unread.set({ provider }, isUnread ? 1 : 0);
    this.needed.set({ provider }, short?.neededPerMinute ?? 0);
    for (const change of CHANGES)
      this.noticed.set({ provider, change }, short?.change === change ? short.noticedAfterMs / 1_000 : 0);
  }
}

/** Leaves out an infinite limit, which would spoil every sum, average and axis. */
function setFinite(gauge: Gauge<'provider'>, provider: string, value: number): void {
  if (Number.isFinite(value)) gauge.set({ provider }, value);
}
