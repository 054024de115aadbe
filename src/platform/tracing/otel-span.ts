import {
  context,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Span as OtelSpan,
  type SpanContext,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';

import type { RequestSpan, TracedEvent, TracedPayment } from '../../ports/tracer.ts';
import { logIn } from './log-trace.ts';

/** A span of the SDK behind the port. */
export class OtelPaymentSpan implements RequestSpan {
  readonly traceId: string;
  readonly traceparent: string;
  readonly kept: string;

  constructor(
    private readonly tracer: OtelTracer,
    private readonly span: OtelSpan,
    caller: string | null,
  ) {
    const own = span.spanContext();
    this.traceId = own.traceId;
    this.traceparent = textOf(own);
    this.kept = caller ?? this.traceparent;
  }

  recorded(payment: TracedPayment, events: readonly TracedEvent[], since: number): void {
    const about = attributesOf(payment);
    this.span.setAttributes(about);
    const within = trace.setSpan(context.active(), this.span);
    for (const { type, sequence } of events) {
      const attributes = {
        ...about,
        'cloudevents.event_type': type,
        'paybell.sequence': sequence,
      };
      const options = { kind: SpanKind.INTERNAL, startTime: since, attributes };
      this.tracer.startSpan(`record ${type}`, options, within).end();
    }
  }

  log(write: () => void): void {
    logIn(this.traceId, write);
  }

  end(outcome: string, isFailed: boolean, httpStatus: number | null): void {
    this.span.setAttribute('paybell.outcome', outcome);
    if (httpStatus !== null) this.span.setAttribute('http.response.status_code', httpStatus);
    if (isFailed) this.span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
    this.span.end();
  }
}

/** The attributes that name a payment in a span. */
export function attributesOf({ quoteId, provider }: TracedPayment): Attributes {
  return { 'paybell.quote_id': quoteId, 'paybell.provider': provider };
}

/** Parses a `traceparent` that readTraceparent or this process has written. */
export function contextOf(traceparent: string): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return { traceId, spanId, traceFlags, isRemote: true };
}

function textOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
