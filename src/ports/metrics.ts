import type { RateLimit } from '../domain/rate-limit/rate-limit.ts';
import type { IntervalScale } from '../domain/polling/interval-scale.ts';
import type { DeliveriesNow } from './delivery-figures.ts';
import type { ScheduleFigures } from './schedule.ts';

/** How a provider is asked. */
export interface AskingFigures {
  /** Requests to it; Infinity without a limit. */
  readonly budget: { readonly perMinute: number; readonly available: number };
  /** `paused`: closed, and the provider has asked for no requests for a time. */
  readonly circuit: RateLimit['circuit'] | 'paused';
  readonly scale: IntervalScale;
}

export interface ProviderFigures {
  readonly provider: string;
  readonly schedule: ScheduleFigures;
  /** Requests for quotes of the last day that it left without an answer, counted up to 10,000. */
  readonly unansweredQuotes: number;
  /** Null for a provider that is not asked any more. */
  readonly asking: AskingFigures | null;
}

/** The figures that all replicas share, read from the database. */
export interface Figures {
  readonly providers: readonly ProviderFigures[];
  readonly deliveries: DeliveriesNow;
  /** How long a transaction has held up the event log: EventLog.heldForMs. */
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
  /** `figures` is null when the database does not answer: the text then omits them, and never repeats old ones. */
  abstract render(figures: Figures | null): Promise<MetricsText>;
}
