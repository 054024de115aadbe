import { Injectable } from '@nestjs/common';

import type { Quote, QuoteRequest } from '../../domain/payment/quote.ts';
import { type ProviderCell, ProviderCells } from '../../ports/provider-cell.ts';
import { Clock } from '../../ports/clock.ts';
import type { IdempotencyClaim } from '../../ports/idempotency.ts';
import { ProviderUnavailable } from '../../ports/payment-provider.ts';
import { PaymentRemoved, Payments, StoreUnavailable, type PaymentToAdd } from '../../ports/payments.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { MonitoredLookups } from './monitored-lookups.ts';
import type { QuoteOrder } from './quote.dto.ts';
import { QuoteIdempotency } from './quote-idempotency.ts';
import { RequestCheck } from './request-check.ts';
import { TokenDecimals } from './token-decimals.ts';

/** How long quotes pause after the provider has answered that there were too many, without a Retry-After. */
const TOO_MANY_MS = 10_000;

export interface MadeQuote {
  /** The provider's quote, verbatim. */
  readonly text: string;
  /** True when an earlier request with the same Idempotency-Key made the quote. */
  readonly isReplayed: boolean;
}

/** Makes quotes. It returns only stored quotes, so that every deposit address it shows is tracked. */
@Injectable()
export class QuoteService {
  constructor(
    private readonly check: RequestCheck,
    private readonly idempotency: QuoteIdempotency,
    private readonly cells: ProviderCells,
    private readonly payments: Payments,
    private readonly decimals: TokenDecimals,
    private readonly clock: Clock,
    private readonly database: DatabaseHealth,
    private readonly lookups: MonitoredLookups,
  ) {}

  /** Throws InvalidField, the errors of QuoteIdempotency and of the provider, and StoreUnavailable. */
  async make(order: QuoteOrder): Promise<MadeQuote> {
    await this.check.check(order.request);
    // Without the database each retry of the merchant would make a quote that can't be stored.
    const problem = await this.database.problem();
    if (problem !== null) throw new StoreUnavailable({ reason: problem.detail });
    if (order.idempotent === null) return this.makeAndStore(order);
    const claimed = await this.idempotency.claim(order.idempotent);
    if (claimed.kind === 'done') return { text: claimed.quoteText, isReplayed: true };
    return this.makeUnder(claimed.claim, order);
  }

  private async makeUnder(claim: IdempotencyClaim, order: QuoteOrder): Promise<MadeQuote> {
    try {
      return await this.makeAndStore(order, claim);
    } catch (error) {
      await this.idempotency.release(claim);
      throw error;
    }
  }

  private async makeAndStore(order: QuoteOrder, claim: IdempotencyClaim | null = null): Promise<MadeQuote> {
    const cell = this.cells.preferred;
    const quote = await this.requestQuote(cell, order.request);
    const { quoteId, expectedMs, depositAddress, text } = quote;
    const { orderId, metadata, span = null } = order;
    const expiresAt = this.expiryOf(quote);
    const report = quote.firstReport ?? null;
    const fields = {
      quoteId,
      provider: cell.provider.name,
      orderId,
      metadata,
      expiresAt,
      expectedMs,
      depositAddress,
    };
    await this.store({ ...fields, span, quoteText: text, report }, claim);
    this.decimals.learnFromQuote(text);
    return { text, isReplayed: false };
  }

  /** Fails for a quote that can't be tracked: Paybell would never notice a deposit to its address. */
  private async store(payment: PaymentToAdd, claim: IdempotencyClaim | null): Promise<void> {
    try {
      await this.payments.add(payment, claim);
    } catch (error) {
      if (!(error instanceof PaymentRemoved)) throw error;
      throw new ProviderUnavailable('it gave the id of a removed payment again');
    }
  }

  /** Requests a quote within the provider's quote limit, if it has one. */
  private async requestQuote(cell: ProviderCell, request: QuoteRequest): Promise<Quote> {
    const { provider, quoteBudget } = cell;
    await provider.checkQuote(request);
    await quoteBudget.take();
    try {
      return await this.lookups.run(cell, 'quote', () => provider.createQuote(request));
    } catch (error) {
      if (!(error instanceof ProviderUnavailable) || !error.isTooMany) throw error;
      const pauseMs = error.retryAfterMs ?? TOO_MANY_MS;
      await quoteBudget.pause(pauseMs);
      throw new ProviderUnavailable(error.reason, pauseMs);
    }
  }

  private expiryOf({ expiresIn }: Quote): Date | null {
    return expiresIn === null ? null : new Date(this.clock.now().getTime() + expiresIn * 1_000);
  }
}
