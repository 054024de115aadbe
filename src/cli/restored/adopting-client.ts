import { isDeepStrictEqual } from 'node:util';

import { isRecord } from '../../domain/payment/reading.ts';
import { trackBody } from '../api/track-body.ts';
import type { NamedPayment } from './payment-lines.ts';
import type { Answer, PaybellApi } from './paybell-api.ts';

/** Which labels of a payment this run has set: those that were there before it stay. */
export interface OwnLabels {
  readonly orderId: boolean;
  readonly metadata: boolean;
}

/** What became of a payment that was handed over. */
export type Adopted =
  /** `keepsOther`: it had another order id or other metadata before, and keeps them. */
  | { readonly kind: 'found' | 'known'; readonly own: OwnLabels; readonly keepsOther: boolean }
  | { readonly kind: 'unknown' | 'removed' }
  | { readonly kind: 'failed'; readonly reason: string };

export const NO_LABELS: OwnLabels = { orderId: false, metadata: false };

/** Hands payments over to a running Paybell, which asks the provider within its limits. */
export class AdoptingClient {
  constructor(private readonly api: Pick<PaybellApi, 'request'>) {}

  /**
   * Changes no order id and no metadata that a payment has, but those of `own`. Throws as PaybellApi does.
   */
  async adopt(payment: NamedPayment, own: OwnLabels = NO_LABELS): Promise<Adopted> {
    const stored = await this.api.request('GET', `/api/payments/${payment.quoteId}`);
    if (stored.status === 200 && stored.body['quoteId'] === payment.quoteId)
      return this.complete(payment, own, stored.body);
    if (stored.body['code'] !== 'unknown_payment') return outcomeOf(stored, payment, own);
    return outcomeOf(await this.api.request('POST', '/api/payments', trackBody(payment)), payment, own);
  }

  /** Adds what a tracked payment lacks. */
  private async complete(
    payment: NamedPayment,
    own: OwnLabels,
    stored: Record<string, unknown>,
  ): Promise<Adopted> {
    const isOpen = {
      orderId: own.orderId || isUnset(stored['orderId']),
      metadata: own.metadata || isUnset(stored['metadata']),
    };
    const added = {
      ...payment,
      orderId: isOpen.orderId ? payment.orderId : null,
      metadata: isOpen.metadata ? payment.metadata : null,
      quoteText: isUnset(stored['quote']) ? payment.quoteText : null,
    };
    const keepsOther =
      (!isOpen.orderId && isOther(payment.orderId, stored['orderId'])) ||
      (!isOpen.metadata && isOther(payment.metadata, stored['metadata']));
    if (added.orderId === null && added.metadata === null && added.quoteText === null)
      return { kind: 'known', own, keepsOther };
    const outcome = outcomeOf(await this.api.request('POST', '/api/payments', trackBody(added)), added, own);
    return 'own' in outcome ? { ...outcome, keepsOther } : outcome;
  }
}

function outcomeOf(answer: Answer, { quoteId, orderId, metadata }: NamedPayment, before: OwnLabels): Adopted {
  const { status, body } = answer;
  if ((status === 201 || status === 200) && body['quoteId'] === quoteId) {
    const own = {
      orderId: before.orderId || orderId !== null,
      metadata: before.metadata || metadata !== null,
    };
    return { kind: status === 201 ? 'found' : 'known', own, keepsOther: false };
  }
  if (body['code'] === 'unknown_payment') return { kind: 'unknown' };
  if (body['code'] === 'payment_removed') return { kind: 'removed' };
  return { kind: 'failed', reason: reasonOf(answer) };
}

function reasonOf({ status, body }: Answer): string {
  const errors = Array.isArray(body['errors']) ? body['errors'].filter(isRecord) : [];
  const fields = errors.map(({ field, message }) => `${String(field)} ${String(message)}`).join('; ');
  const detail = typeof body['detail'] === 'string' ? body['detail'] : 'no answer of Paybell';
  return `${status} ${fields === '' ? detail : fields}`;
}

function isUnset(stored: unknown): boolean {
  return stored === null || stored === undefined;
}

function isOther(named: unknown, stored: unknown): boolean {
  return named !== null && !isDeepStrictEqual(named, stored);
}
