import { setTimeout as sleep } from 'node:timers/promises';

import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  trace,
  type Attributes,
  type SpanOptions,
} from '@opentelemetry/api';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  TracerProvider,
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { type OnApplicationShutdown, Logger } from '@nestjs/common';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';

import type { Payment } from '../../domain/payment/payment.ts';
import type { DueDelivery } from '../../ports/deliveries.ts';
import {
  Tracer,
  type RequestSpan,
  type Span,
  type TracedPayment,
  type TracedRequest,
} from '../../ports/tracer.ts';
import { VERSION } from '../version.ts';
import type { TracingSettings } from './tracing.settings.ts';
import { attributesOf, contextOf, OtelPaymentSpan } from './otel-span.ts';

/** The last spans are dropped if the collector has not taken them in this time: a stop has ten seconds in all. */
const FLUSH_MS = 1_000;

const POLL = 'poll';

const REQUESTS: Readonly<Record<TracedRequest, SpanOptions>> = {
  'POST /api/quote': posted('/api/quote'),
  'POST /api/payments': posted('/api/payments'),
  'track message': {
    kind: SpanKind.CONSUMER,
    attributes: { 'messaging.system': 'rabbitmq', 'messaging.operation.type': 'process' },
  },
};

/**
 * Spans by OpenTelemetry's SDK, posted in the background. The provider is not made global: only Paybell's own spans are sent.
 */
export class OpenTelemetryTracer extends Tracer implements OnApplicationShutdown {
  private readonly provider: TracerProvider;
  private readonly tracer;

  constructor(settings: TracingSettings, replicaId: string) {
    super();
    const own = resourceFromAttributes({
      'service.name': settings.serviceName,
      'service.version': VERSION,
      'service.instance.id': replicaId,
    });
    this.provider = new TracerProvider({
      resource: defaultResource()
        .merge(detectResources({ detectors: [envDetector] }))
        .merge(own),
      sampler: samplerOf(settings),
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: spanExporter(settings.url),
          scheduledDelayMillis: settings.sendEveryMs,
        }),
      ],
    });
    this.tracer = this.provider.getTracer('paybell', VERSION);
  }

  requested(request: TracedRequest, traceparent: unknown): RequestSpan {
    const caller = readTraceparent(traceparent);
    const parent = caller === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(caller));
    const span = this.tracer.startSpan(request, REQUESTS[request], parent);
    return new OtelPaymentSpan(this.tracer, span, caller);
  }

  polled(payment: TracedPayment & Pick<Payment, 'traceparent'>, since: number): Span | null {
    const attributes = attributesOf(payment);
    return this.linked(POLL, payment.traceparent, { kind: SpanKind.CLIENT, startTime: since, attributes });
  }

  attempting(kind: string, delivery: DueDelivery): Span | null {
    const attributes: Attributes = {
      'messaging.system': kind,
      'messaging.operation.type': 'send',
      'messaging.message.id': delivery.eventId,
      'cloudevents.event_type': delivery.type,
      ...attributesOf(delivery),
      'paybell.sequence': delivery.sequence,
      'paybell.destination_id': delivery.destinationId,
      'paybell.attempt': delivery.attempts + 1,
    };
    return this.linked(`deliver ${kind}`, delivery.traceparent, { kind: SpanKind.PRODUCER, attributes });
  }

  /** A collector that does not answer must not delay a stop. */
  async onApplicationShutdown(): Promise<void> {
    const flushed = this.provider.shutdown().catch(() => undefined);
    await Promise.race([flushed, sleep(FLUSH_MS, undefined, { ref: false })]);
  }

  /** Begins a trace of its own, but none for a payment that was not sampled. */
  private linked(name: string, kept: string | null, options: SpanOptions): Span | null {
    const link = kept === null ? null : contextOf(kept);
    if (link?.traceFlags === 0) return null;
    const links = link === null ? [] : [{ context: link }];
    const span = this.tracer.startSpan(name, { ...options, links, root: true }, context.active());
    return span.isRecording() ? new OtelPaymentSpan(this.tracer, span, null) : null;
  }
}

function posted(route: string): SpanOptions {
  return { kind: SpanKind.SERVER, attributes: { 'http.request.method': 'POST', 'http.route': route } };
}

/** The sampler that OTEL_TRACES_SAMPLER names. A linked trace belongs to a sampled payment, whose whole way is sampled. */
export function samplerOf({ sampler, ratio }: TracingSettings): Sampler {
  const [name = ''] = sampler.split('parentbased_').slice(-1);
  const root = rootOf(name, ratio);
  const usual = name === sampler ? root : new ParentBasedSampler({ root });
  return {
    shouldSample: (...asked) =>
      asked[5].length > 0 && name !== 'always_off'
        ? { decision: SamplingDecision.RECORD_AND_SAMPLED }
        : usual.shouldSample(...asked),
    toString: () => sampler,
  };
}

function rootOf(name: string, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'always_on' ? new AlwaysOnSampler() : new TraceIdRatioBasedSampler(ratio);
}

const WARN_EVERY_MS = 60_000;

/**
 * Posts spans as OTLP over HTTP, and warns once a minute while the collector does not take them. Logs neither URL nor error:
 * both may hold a secret.
 */
export function spanExporter(url: string): SpanExporter {
  const log = new Logger('Tracing');
  const exporter = new OTLPTraceExporter({ url });
  let warnedAt = -Infinity;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const now = performance.now();
        if (result.error !== undefined && now - warnedAt >= WARN_EVERY_MS) {
          warnedAt = now;
          log.warn(`${new URL(url).host} does not take spans${whyOf(result.error)}: they are dropped`);
        }
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}

function whyOf({ code }: Error & { readonly code?: unknown }): string {
  return typeof code === 'number' || /^[A-Z_]+$/.test(String(code)) ? ` (${String(code)})` : '';
}

const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads a W3C Trace Context header `traceparent` of version 00; null: the header is invalid and is ignored. */
export function readTraceparent(header: unknown): string | null {
  const [, version, traceId, spanId, flags, more] = (typeof header === 'string' && FORM.exec(header)) || [];
  // Only a later version may have more fields.
  if (version === undefined || (version === '00' && more !== undefined)) return null;
  return `00-${traceId}-${spanId}-${flags}`;
}
