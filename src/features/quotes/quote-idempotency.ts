import { setTimeout as sleep } from 'node:timers/promises';

import { Injectable, Logger } from '@nestjs/common';

import { ProviderCells } from '../../ports/provider-cell.ts';
import { Idempotency, type IdempotencyClaim } from '../../ports/idempotency.ts';
import { PaymentRemoved } from '../../ports/payments.ts';
import { QuotesSettings } from './quotes.settings.ts';
import type { IdempotentRequest } from './quote.dto.ts';

/** The key was used with another body before. */
export class IdempotencyMismatch extends Error {
  readonly code = 'idempotency_mismatch';
  constructor() {
    super('This Idempotency-Key was used with another body before.');
  }
}

/** Another request with this key is still making its quote. */
export class IdempotencyBusy extends Error {
  readonly code = 'idempotency_busy';
  readonly retryAfterMs = 1_000;
  constructor() {
    super('Another request with this Idempotency-Key is still in progress.');
  }
}

export type ClaimedOrDone =
  | { readonly kind: 'claimed'; readonly claim: IdempotencyClaim }
  | { readonly kind: 'done'; readonly quoteText: string };

/** Makes sure that one Idempotency-Key makes one quote, also for concurrent requests. */
@Injectable()
export class QuoteIdempotency {
  private readonly log = new Logger(QuoteIdempotency.name);

  constructor(
    private readonly idempotency: Idempotency,
    private readonly cells: ProviderCells,
    private readonly settings: QuotesSettings,
  ) {}

  /**
   * Claims the key, or waits for the request that is making its quote, and takes over if that fails. Throws
   * IdempotencyMismatch, IdempotencyBusy and PaymentRemoved.
   */
  async claim({ scope, key, bodyHash }: IdempotentRequest): Promise<ClaimedOrDone> {
    const { asked, preferred } = this.cells;
    const timeoutMs = asked.length > 1 ? this.settings.timeoutMs : preferred.provider.limits.timeoutMs;
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

  /** Best effort: the lease of a claim that can't be released expires by itself. */
  async release(claim: IdempotencyClaim): Promise<void> {
    try {
      await this.idempotency.release(claim);
    } catch (error) {
      this.log.warn(`an Idempotency-Key stays claimed until its lease expires: ${(error as Error).message}`);
    }
  }
}
