import { createHash } from 'node:crypto';

import type { QuoteRequest } from '../../domain/payment/quote.ts';
import { isRecord } from '../../domain/payment/reading.ts';
import { InvalidField } from '../../platform/http/invalid-field.ts';
import type { QuoteBody } from './quote.dto.ts';

/** A quote that may be made at most once: by whom, under which key, of which body. */
export interface IdempotentRequest {
  readonly scope: string;
  readonly key: string;
  readonly bodyHash: string;
}

/** A validated wish for a quote. */
export interface QuoteOrder {
  readonly request: QuoteRequest;
  readonly orderId: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly idempotent: IdempotentRequest | null;
}

const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

/** Throws InvalidField for an Idempotency-Key that can't be one. */
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

/** Of the meaning, not of the bytes: the order of keys and unknown fields make no other body. */
function hashOf(asked: object): string {
  const canonical = JSON.stringify(asked, (_key, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return createHash('sha256').update(canonical).digest('hex');
}
