/** Where spans are sent, and which. */
export interface TracingSettings {
  /** The URL may hold credentials. */
  readonly url: string;
  readonly serviceName: string;
  /** A name of OTEL_TRACES_SAMPLER. */
  readonly sampler: string;
  readonly ratio: number;
  /** The longest that a span waits to be sent with others. */
  readonly sendEveryMs: number;
}
