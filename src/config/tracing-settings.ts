import { webUrl } from './address-kinds.ts';
import { choice, decimal, flag, integer, text } from './kinds.ts';
import { section, type ValuesOf } from './setting.ts';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/**
 * Where spans are sent. The exporter itself reads headers, timeout, compression and certificates from OpenTelemetry's
 * variables.
 */
export interface TracingSettings {
  /** The whole URL to which spans are posted. It may contain credentials. */
  readonly url: string;
  readonly serviceName: string;
  readonly sampler: (typeof SAMPLERS)[number];
  /** The share of traces that the ratio samplers select. */
  readonly ratio: number;
  /** The longest that a span waits to be sent with others. */
  readonly sendEveryMs: number;
}

export const TRACES = section({
  heading: 'Traces',
  about: `Off unless an endpoint is set. [OpenTelemetry's](https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/)
exporter reads its other variables itself, such as \`OTEL_EXPORTER_OTLP_HEADERS\`; \`OTEL_RESOURCE_ATTRIBUTES\` is added to the service's.
What is traced: [monitoring.md](monitoring.md#traces).`,
  rows: {
    otlpEndpoint: webUrl('OTEL_EXPORTER_OTLP_ENDPOINT', {
      isSecret: true,
      text: 'the OTLP/HTTP collector; `/v1/traces` is added; unset: no traces',
    }),
    otlpTracesEndpoint: webUrl('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', {
      isSecret: true,
      text: 'the whole URL for traces, in place of the former',
    }),
    tracesServiceName: text('OTEL_SERVICE_NAME', {
      default: 'paybell',
      maxLength: 255,
      text: 'how traces name this service',
    }),
    tracesSampler: choice('OTEL_TRACES_SAMPLER', SAMPLERS, {
      default: 'parentbased_always_on',
      values: 'a name',
      text: 'which payments are traced: `always_on`, `always_off`, `traceidratio`, or one of them after `parentbased_`: the caller decides',
    }),
    tracesRatio: decimal('OTEL_TRACES_SAMPLER_ARG', {
      default: 1,
      min: 0,
      max: 1,
      text: 'the share that a sampler by ratio takes',
    }),
    tracesSendEveryMs: integer('OTEL_BSP_SCHEDULE_DELAY', {
      default: 5_000,
      min: 1,
      max: 60_000,
      text: 'how long a span may wait for others, in milliseconds',
    }),
    tracesDisabled: flag('OTEL_SDK_DISABLED', {
      default: false,
      text: '`true`: no traces, whatever the others say',
    }),
  },
});

/** Null: tracing is off. */
export function tracingOf(values: ValuesOf<typeof TRACES.rows>): TracingSettings | null {
  const base = values.otlpEndpoint?.replace(/\/$/, '');
  const url = values.otlpTracesEndpoint ?? (base === undefined ? null : `${base}/v1/traces`);
  if (url === null || values.tracesDisabled) return null;
  return {
    url,
    serviceName: values.tracesServiceName,
    sampler: values.tracesSampler,
    ratio: values.tracesRatio,
    sendEveryMs: values.tracesSendEveryMs,
  };
}
