/** Where spans go, and which. */
export interface TracingSettings {
  /** May hold credentials. */
  readonly url: string;
  readonly serviceName: string;
  /** A name of OTEL_TRACES_SAMPLER. */
  readonly sampler: string;
  readonly ratio: number;
  /** The longest that a span waits for others to be sent with. */
  readonly sendEveryMs: number;
}
