import { isDeepStrictEqual } from 'node:util';

import type { Answered, ApiClient, Schemas } from '../api/api-client.ts';
import type { Patience } from '../api/patience.ts';
import { ApiProblem } from '../api/problem.ts';
import { trackBody } from '../api/track-body.ts';
import type { NamedPayment } from './payment-lines.ts';

type Payment = Schemas['PaymentAnswer'];

/** Which labels of a payment this run has set: earlier labels stay. */
export interface OwnLabels {
  readonly orderId: boolean;
  readonly metadata: boolean;
}

/** The result for a submitted payment. */
export type Adopted =
  /** `keepsOther`: the payment had another order id or other metadata before, and keeps both. */
  | { readonly kind: 'found' | 'known'; readonly own: OwnLabels; readonly keepsOther: boolean }
  | { readonly kind: 'unknown' | 'removed' }
  | { readonly kind: 'failed'; readonly reason: string };

export const NO_LABELS: OwnLabels = { orderId: false, metadata: false };

/** Submits payments to a running Paybell, which asks the provider within its limits. */
export class AdoptingClient {
  constructor(
    private readonly api: Pick<ApiClient, 'url' | 'call' | 'send'>,
    private readonly patience: Pick<Patience, 'call'>,
  ) {}

  /**
   * Changes no order id and no metadata of a payment, except those of `own`. Throws an error that every other payment would
   * meet too.
   */
  async adopt(payment: NamedPayment, own: OwnLabels = NO_LABELS): Promise<Adopted> {
    const path = { quoteId: payment.quoteId };
    const stored = await this.ask(() => this.api.call('get', '/api/payments/{quoteId}', { path }));
    if (!(stored instanceof ApiProblem)) return this.complete(payment, own, stored.data);
    if (stored.code !== 'unknown_payment') return refusalOf(stored);
    return this.track(payment, own);
  }

  /** Adds what a tracked payment lacks. */
  private async complete(payment: NamedPayment, own: OwnLabels, stored: Payment): Promise<Adopted> {
    const isOpen = {
      orderId: own.orderId || isUnset(stored.orderId),
      metadata: own.metadata || isUnset(stored.metadata),
    };
    const added = {
      ...payment,
      orderId: isOpen.orderId ? payment.orderId : null,
      metadata: isOpen.metadata ? payment.metadata : null,
      quoteText: isUnset(stored.quote) ? payment.quoteText : null,
    };
    const keepsOther =
      (!isOpen.orderId && isOther(payment.orderId, stored.orderId)) ||
      (!isOpen.metadata && isOther(payment.metadata, stored.metadata));
    if (added.orderId === null && added.metadata === null && added.quoteText === null)
      return { kind: 'known', own, keepsOther };
    const outcome = await this.track(added, own);
    return 'own' in outcome ? { ...outcome, keepsOther } : outcome;
  }

  private async track(payment: NamedPayment, before: OwnLabels): Promise<Adopted> {
    const sent = { method: 'POST', body: trackBody(payment) };
    const answer = await this.ask(() => this.api.send<Payment>('/api/payments', sent));
    if (answer instanceof ApiProblem) return refusalOf(answer);
    const own = {
      orderId: before.orderId || payment.orderId !== null,
      metadata: before.metadata || payment.metadata !== null,
    };
    return { kind: answer.status === 201 ? 'found' : 'known', own, keepsOther: false };
  }

  private async ask(request: () => Promise<Answered<Payment>>): Promise<Answered<Payment> | ApiProblem> {
    try {
      return await this.patience.call(request);
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      if (error.httpStatus !== 401) return error;
      const why = `The Paybell at ${this.api.url} does not use this database: it refuses a key of it.`;
      throw new Error(why, { cause: error });
    }
  }
}

function refusalOf({ code, message }: ApiProblem): Adopted {
  if (code === 'unknown_payment') return { kind: 'unknown' };
  if (code === 'payment_removed') return { kind: 'removed' };
  return { kind: 'failed', reason: message.replaceAll('\n  ', ' ') };
}

function isUnset(stored: unknown): boolean {
  return stored === null || stored === undefined;
}

function isOther(named: unknown, stored: unknown): boolean {
  return named !== null && !isDeepStrictEqual(named, stored);
}
