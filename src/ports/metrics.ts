import type { RateLimit } from '../domain/rate-limit/rate-limit.ts';
import type { IntervalScale } from '../domain/polling/interval-scale.ts';
import type { DeliveriesNow } from './delivery-figures.ts';
import type { ScheduleFigures } from './schedule.ts';

/** What all replicas have in common, as the database tells it. */
export interface Figures {
  readonly schedule: ScheduleFigures;
  /** Requests to the provider; Infinity without a limit. */
  readonly budget: { readonly perMinute: number; readonly available: number };
  readonly circuit: RateLimit['circuit'];
  readonly scale: IntervalScale;
  readonly deliveries: DeliveriesNow;
  /** How long the event log has been held up: EventLog.heldForMs. */
  readonly logHeldMs: number;
}

export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

/** Everything that is measured here, as a monitoring system reads it. */
export abstract class Metrics {
  /** Null: the database does not answer. What it would have told is left out then, never told as it was. */
  abstract render(figures: Figures | null): Promise<MetricsText>;
}
