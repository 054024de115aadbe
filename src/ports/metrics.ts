import type { RateLimit } from '../domain/rate-limit/rate-limit.ts';
import type { IntervalScale } from '../domain/polling/interval-scale.ts';
import type { ShortBudget } from '../domain/polling/short-budget.ts';
import type { OpenCount } from './attention.ts';
import type { DeliveriesNow } from './delivery-figures.ts';
import type { ScheduleFigures } from './schedule.ts';

/** The limits and circuit for requests to a provider. */
export interface AskingFigures {
  /** Requests to the provider; Infinity without a limit. */
  readonly budget: { readonly perMinute: number; readonly available: number };
  /** `paused`: the circuit is closed, but the provider has asked for a pause. */
  readonly circuit: RateLimit['circuit'] | 'paused';
  readonly scale: IntervalScale;
  /** Null: the budget suffices. */
  readonly short: ShortBudget | null;
  /** A running process cannot read the provider's lists or gets no quotes, or its key is refused. */
  readonly isUnread: boolean;
}

export interface ProviderFigures {
  readonly provider: string;
  readonly schedule: ScheduleFigures;
  /** Requests for quotes of the last day that the provider has not answered, counted up to 10,000. */
  readonly unansweredQuotes: number;
  /** Null for a provider that is no longer asked. */
  readonly asking: AskingFigures | null;
}

/** The figures that all replicas share, read from the database. */
export interface Figures {
  readonly providers: readonly ProviderFigures[];
  readonly deliveries: DeliveriesNow;
  /** How long a transaction has held back the event log: EventLog.heldForMs. */
  readonly logHeldMs: number;
  /** DatabaseHealth.wentBack. */
  readonly epoch: number;
}

export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

/** Renders all metrics of this process for a monitoring system. */
export abstract class Metrics {
  /** `figures` is null when the database does not answer: the text then omits the figures, and never repeats old ones. */
  abstract render(figures: Figures | null, attention: readonly OpenCount[]): Promise<MetricsText>;
}
