import { setTimeout as sleep } from 'node:timers/promises';

import { Injectable, Logger } from '@nestjs/common';

import {
  Idempotency,
  type IdempotencyBegin,
  IdempotencyBusy,
  type IdempotencyClaim,
  IdempotencyMismatch,
} from '../../ports/idempotency.ts';
import { PaymentRemoved } from '../../ports/payments.ts';
import { ProviderCells } from '../../ports/provider-cell.ts';
import type { IdempotentRequest } from './quote.dto.ts';
import { QuotesSettings } from './quotes.settings.ts';

export type Done = Extract<IdempotencyBegin, { kind: 'done' }>;
export type ClaimedOrDone = Extract<IdempotencyBegin, { kind: 'claimed' }> | Done;

/** How many renewals fit into one lease, so that one or two may fail. */
const RENEWALS = 3;

/** Makes sure that one Idempotency-Key makes one quote, even for concurrent requests. */
@Injectable()
export class QuoteIdempotency {
  private readonly log = new Logger(QuoteIdempotency.name);

  constructor(
    private readonly idempotency: Idempotency,
    private readonly cells: ProviderCells,
    private readonly settings: QuotesSettings,
  ) {}

  /**
   * Claims the key, or waits at most `atMostMs` for the request that is making its quote, and takes over if that fails.
   * Throws IdempotencyMismatch, IdempotencyBusy and PaymentRemoved.
   */
  async claim({ scope, key, bodyHash }: IdempotentRequest, atMostMs: number): Promise<ClaimedOrDone> {
    const { asked, preferred } = this.cells;
    const { idempotencyWaitMs, idempotencyPollMs, idempotencyLeaseMs } = this.settings;
    const timeoutMs = asked.length > 1 ? this.settings.timeoutMs : preferred.provider.limits.timeoutMs;
    const giveUpAtMs = performance.now() + Math.min(timeoutMs + idempotencyWaitMs, atMostMs);
    for (;;) {
      const state = await this.idempotency.begin(scope, key, bodyHash, idempotencyLeaseMs);
      if (state.kind === 'mismatch') throw new IdempotencyMismatch();
      // Another quote under this key would be a second deposit address for one order.
      if (state.kind === 'removed') throw new PaymentRemoved(409);
      if (state.kind !== 'busy') return state;
      if (performance.now() >= giveUpAtMs) throw new IdempotencyBusy();
      await sleep(idempotencyPollMs);
    }
  }

  /**
   * Runs `make` under the claim and renews the claim's lease meanwhile: if the lease ended early, the next request could open
   * a second deposit address. Releases the claim when `make` fails.
   */
  async hold<T>(claim: IdempotencyClaim, make: () => Promise<T>): Promise<T> {
    const renewing = setInterval(() => void this.renew(claim), this.settings.idempotencyLeaseMs / RENEWALS);
    try {
      return await make();
    } catch (error) {
      await this.release(claim);
      throw error;
    } finally {
      clearInterval(renewing);
    }
  }

  private async renew(claim: IdempotencyClaim): Promise<void> {
    try {
      await this.idempotency.renew(claim, this.settings.idempotencyLeaseMs);
    } catch (error) {
      this.log.warn(`the lease of an Idempotency-Key was not renewed: ${(error as Error).message}`);
    }
  }

  /** Best effort: the lease of a claim that cannot be released expires by itself. */
  private async release(claim: IdempotencyClaim): Promise<void> {
    try {
      await this.idempotency.release(claim);
    } catch (error) {
      this.log.warn(`an Idempotency-Key stays claimed until its lease expires: ${(error as Error).message}`);
    }
  }
}
