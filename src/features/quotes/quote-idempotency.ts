import { setTimeout as sleep } from 'node:timers/promises';

import { Injectable, Logger } from '@nestjs/common';

import { Idempotency, type IdempotencyClaim } from '../../ports/idempotency.ts';
import { PaymentProvider } from '../../ports/payment-provider.ts';
import { PaymentRemoved } from '../../ports/payments.ts';
import { QuotesSettings } from './quotes.settings.ts';
import type { IdempotentRequest } from './quote-order.ts';

/** The key was used with another body before. */
export class IdempotencyMismatch extends Error {
  readonly code = 'idempotency_mismatch';
  constructor() {
    super('This Idempotency-Key was used with another body before.');
  }
}

/** Another request with this key is still at work. */
export class IdempotencyBusy extends Error {
  readonly code = 'idempotency_busy';
  readonly retryAfterMs = 1_000;
  constructor() {
    super('Another request with this Idempotency-Key is still at work.');
  }
}

export type ClaimedOrDone =
  | { readonly kind: 'claimed'; readonly claim: IdempotencyClaim }
  | { readonly kind: 'done'; readonly quoteText: string };

/** Sees to it that one Idempotency-Key makes one quote, however many requests come with it at once. */
@Injectable()
export class QuoteIdempotency {
  private readonly log = new Logger(QuoteIdempotency.name);

  constructor(
    private readonly idempotency: Idempotency,
    private readonly provider: PaymentProvider,
    private readonly settings: QuotesSettings,
  ) {}

  /** Waits for whoever is making this quote, and takes over if that fails. Throws IdempotencyMismatch, IdempotencyBusy and PaymentRemoved. */
  async claim({ scope, key, bodyHash }: IdempotentRequest): Promise<ClaimedOrDone> {
    const { timeoutMs } = this.provider.limits;
    const giveUpAtMs = performance.now() + timeoutMs + this.settings.idempotencyWaitMs;
    for (;;) {
      const state = await this.idempotency.begin(
        scope,
        key,
        bodyHash,
        timeoutMs + this.settings.idempotencyLeaseMs,
      );
      if (state.kind === 'mismatch') throw new IdempotencyMismatch();
      // Another quote under this key would be a second deposit address for one order.
      if (state.kind === 'removed') throw new PaymentRemoved(409);
      if (state.kind !== 'busy') return state;
      if (performance.now() >= giveUpAtMs) throw new IdempotencyBusy();
      await sleep(this.settings.idempotencyPollMs);
    }
  }

  /** Best effort: a claim that can't be given back runs out by itself. */
  async release(claim: IdempotencyClaim): Promise<void> {
    try {
      await this.idempotency.release(claim);
    } catch (error) {
      this.log.warn(`an Idempotency-Key stays held until it runs out: ${(error as Error).message}`);
    }
  }
}
