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
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { OnApplicationShutdown } from '@nestjs/common';

import type { TracingSettings } from './tracing.settings.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { readTraceparent } from '../../domain/text/traceparent.ts';
import type { DueDelivery } from '../../ports/deliveries.ts';
import {
  Tracer,
  type RequestSpan,
  type Span,
  type TracedPayment,
  type TracedRequest,
} from '../../ports/tracer.ts';
import { VERSION } from '../version.ts';
import { attributesOf, contextOf, OtelPaymentSpan } from './otel-span.ts';
import { samplerOf } from './sampler.ts';
import { spanExporter } from './span-export.ts';

/** The last spans are dropped if nobody has taken them by then: a stop has ten seconds for all. */
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

/** Spans by OpenTelemetry's SDK, posted in the background. The provider is nobody's global: only Paybell's own spans go out. */
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

  /** Never keeps a stop waiting for a collector that does not answer. */
  async onApplicationShutdown(): Promise<void> {
    const flushed = this.provider.shutdown().catch(() => undefined);
    await Promise.race([flushed, sleep(FLUSH_MS, undefined, { ref: false })]);
  }

  /** A trace of its own. One of a payment that was not sampled is not begun. */
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
