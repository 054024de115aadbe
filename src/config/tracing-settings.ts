import type { EnvReader } from './env-reader.ts';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Where spans go. The exporter itself reads headers, timeout, compression and certificates from OpenTelemetry's variables. */
export interface TracingSettings {
  /** The whole URL to which spans are posted. It may hold credentials. */
  readonly url: string;
  readonly serviceName: string;
  readonly sampler: (typeof SAMPLERS)[number];
  /** The share of traces that the samplers by ratio take. */
  readonly ratio: number;
  /** The longest that a span waits for others to be sent with. */
  readonly sendEveryMs: number;
}

/** Null: tracing is off. */
export function readTracing(read: EnvReader): TracingSettings | null {
  const isDisabled = read.flag('OTEL_SDK_DISABLED', false);
  const whole = read.url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', ['http:', 'https:']);
  const base = read.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']);
  const serviceName = read.text('OTEL_SERVICE_NAME', 'paybell', 255);
  const sampler = read.choice('OTEL_TRACES_SAMPLER', 'parentbased_always_on', SAMPLERS);
  const ratio = read.decimal('OTEL_TRACES_SAMPLER_ARG', 1, 0, 1);
  const sendEveryMs = read.integer('OTEL_BSP_SCHEDULE_DELAY', 5_000, 1, 60_000);
  const url = whole ?? (base === null ? null : `${base.replace(/\/$/, '')}/v1/traces`);
  return url === null || isDisabled ? null : { url, serviceName, sampler, ratio, sendEveryMs };
}
