import type { EventType } from '../domain/event/event.ts';
import type { Payment } from '../domain/payment/payment.ts';
import type { DueDelivery } from './deliveries.ts';

/** An event that was recorded, as a span names it. */
export interface TracedEvent {
  readonly type: EventType;
  readonly sequence: number;
}

/** A payment, as a span names it. */
export type TracedPayment = Pick<Payment, 'quoteId' | 'provider'>;

/** A piece of work in a trace. A span that never ends is not exported. Cheap, and never throws. */
export interface Span {
  readonly traceId: string;
  /** The span's own context in the form of W3C Trace Context. */
  readonly traceparent: string;
  /** Adds the events that the span has recorded, each as a child span that began at `since`, by `performance.now()`. */
  recorded(payment: TracedPayment, events: readonly TracedEvent[], since: number): void;
  /** Lines that `write` logs, before it returns, have the trace's id. */
  log(write: () => void): void;
  /** `outcome` is one word; `httpStatus` is the status of an answer over HTTP. */
  end(outcome: string, isFailed: boolean, httpStatus: number | null): void;
}

/** The kind of request that brings payments, as its span's name. */
export type TracedRequest = 'POST /api/quote' | 'POST /api/payments' | 'track message';

/**
 * Begins the spans of a payment's way. Null: tracing is off, or this trace is not sampled. Requests continue the caller's
 * trace. Work that may come days later begins a trace of its own, linked to the context that the payment keeps.
 */
export abstract class Tracer {
  /** `traceparent` is the caller's header as received; an invalid header is ignored. Null only if tracing is off. */
  abstract requested(request: TracedRequest, traceparent: unknown): RequestSpan | null;
  /** Begins the span of a poll that changes the payment; the poll began at `since`, by `performance.now()`. */
  abstract polled(payment: TracedPayment & Pick<Payment, 'traceparent'>, since: number): Span | null;
  /** An attempt of a delivery to a destination of this kind. */
  abstract attempting(kind: string, delivery: DueDelivery): Span | null;
}

export interface RequestSpan extends Span {
  /** The context to keep with a payment that the request adds: the caller's, or else its own. */
  readonly kept: string;
}

/** Tracing is off: nothing is made, stored or sent. */
class Untraced extends Tracer {
  requested(): null {
    return null;
  }

  polled(): null {
    return null;
  }

  attempting(): null {
    return null;
  }
}

export const UNTRACED: Tracer = new Untraced();

/** Lines that `write` logs, before it returns, have the trace's id, if there is a span. */
export function logWithin(span: Span | null, write: () => void): void {
  if (span === null) write();
  else span.log(write);
}
