import { createHash } from 'node:crypto';

import type { QuoteRequest } from '../../domain/payment/quote.ts';
import { isRecord } from '../../domain/payment/reading.ts';
import type { PaymentLabel } from '../../domain/payment/relabel.ts';
import type { RequestSpan } from '../../ports/tracer.ts';
import { InvalidField } from '../../platform/http/invalid-field.ts';
import type { QuoteBody } from './quote.dto.ts';

/** The scope (the API key), Idempotency-Key and body hash of a quote that is made at most once. */
export interface IdempotentRequest {
  readonly scope: string;
  readonly key: string;
  readonly bodyHash: string;
}

/** A validated request for a quote. */
export interface QuoteOrder extends PaymentLabel {
  readonly request: QuoteRequest;
  readonly idempotent: IdempotentRequest | null;
  /** Null or left out: tracing is off. */
  readonly span?: RequestSpan | null;
}

const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

/** Throws InvalidField for an invalid Idempotency-Key. */
export function toQuoteOrder(body: QuoteBody, scope: string, key: string | undefined): QuoteOrder {
  const { fromChainId, toChainId, fromToken, toToken, amount, recipient } = body;
  const request = { fromChainId, toChainId, fromToken, toToken, amount, recipient };
  const asked = { request, orderId: body.orderId ?? null, metadata: body.metadata ?? null };
  if (key === undefined) return { ...asked, idempotent: null };
  if (!IDEMPOTENCY_KEY.test(key)) {
    throw new InvalidField('Idempotency-Key', 'must be 1 to 255 printable ASCII characters');
  }
  return { ...asked, idempotent: { scope, key, bodyHash: hashOf(asked) } };
}

/** Hashes the meaning, not the bytes: another key order or an unknown field makes no other body. */
function hashOf(asked: object): string {
  const canonical = JSON.stringify(asked, (_key, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return createHash('sha256').update(canonical).digest('hex');
}
