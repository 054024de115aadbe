import { Injectable } from '@nestjs/common';

import type { Quote } from '../../domain/payment/quote.ts';
import { DeliverySignals } from '../../platform/scheduling/delivery-signals.ts';
import { TookTooLong } from '../../platform/scheduling/within.ts';
import { Clock } from '../../ports/clock.ts';
import type { IdempotencyClaim } from '../../ports/idempotency.ts';
import { ProviderUnavailable } from '../../ports/payment-provider.ts';
import { OrderAlreadyNamed } from '../../ports/labels.ts';
import { PaymentRemoved, Payments, StoreUnavailable, type PaymentToAdd } from '../../ports/payments.ts';
import { StoreBusy } from '../../ports/store-busy.ts';
import { ProviderCells } from '../../ports/provider-cell.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { ProviderChoice } from './provider-choice.ts';
import { type AnsweredQuote, QuoteAttempts } from './quote-attempts.ts';
import type { QuoteOrder } from './quote.dto.ts';
import { type QuoteTime, QuoteTimeOver } from './quote-time.ts';
import { type Done, QuoteIdempotency, replayedQuote } from './quote-idempotency.ts';
import { RequestCheck, TokenDecimals } from './request-check.ts';

const NO_ORDER = { orderId: null, metadata: null };

export interface MadeQuote {
  /**
   * The provider's quote, verbatim except for `expiresIn` of a replay; with several providers it also has the provider's
   * name.
   */
  readonly text: string;
  /** True when an earlier request with the same Idempotency-Key made the quote. */
  readonly isReplayed: boolean;
  /** Whether the order has another payment; also false if that is not known in time. */
  readonly hasPayment: boolean;
}

type Made = Omit<MadeQuote, 'hasPayment'>;

/** Makes quotes. Returns only stored quotes, so that every deposit address it shows is tracked. */
@Injectable()
export class QuoteService {
  constructor(
    private readonly check: RequestCheck,
    private readonly idempotency: QuoteIdempotency,
    private readonly cells: ProviderCells,
    private readonly choice: ProviderChoice,
    private readonly attempts: QuoteAttempts,
    private readonly payments: Payments,
    private readonly deliveries: DeliverySignals,
    private readonly decimals: TokenDecimals,
    private readonly clock: Clock,
    private readonly database: DatabaseHealth,
  ) {}

  /**
   * Ends within QUOTE_TIMEOUT_MS of the arrival. Throws InvalidField, the errors of QuoteIdempotency, replayedQuote and the
   * providers, StoreUnavailable and StoreBusy.
   */
  async make(asked: QuoteOrder): Promise<MadeQuote> {
    const time = this.attempts.timeOf(asked);
    const hasPayment = this.hasPayment(asked.orderId, time);
    try {
      const made = await time.bound(this.makeIn(time, asked));
      return { ...made, hasPayment: await hasPayment };
    } catch (error) {
      throw error instanceof TookTooLong || error instanceof QuoteTimeOver ? this.tooLate() : error;
    }
  }

  /** The waits for providers end by themselves, so the time went by in line for the database. */
  private tooLate(): StoreUnavailable {
    const trouble = this.database.trouble();
    return trouble === null ? new StoreBusy() : new StoreUnavailable({ reason: trouble.detail });
  }

  /** Only a warning depends on the order's payments: a failed read refuses no quote. */
  private async hasPayment(orderId: string | null, time: QuoteTime): Promise<boolean> {
    return (
      orderId !== null && time.boundAsking(this.payments.hasPayment(orderId)).catch((): boolean => false)
    );
  }

  private async makeIn(time: QuoteTime, asked: QuoteOrder): Promise<Made> {
    const order = { ...asked, request: await this.check.check(asked.request) };
    // Without the database, each retry of the merchant would make a quote that cannot be stored.
    const problem = await this.database.problem();
    if (problem !== null) throw new StoreUnavailable({ reason: problem.detail });
    if (order.idempotent === null) return this.makeAndStore(time, order);
    const claimed = await this.idempotency.claim(order.idempotent, time.leftToAskMs);
    if (claimed.kind === 'done') return this.replay(claimed);
    return this.idempotency.hold(claimed.claim, () => this.makeAndStore(time, order, claimed.claim));
  }

  private async replay({ quoteId, quoteText }: Done): Promise<Made> {
    const payment = await this.payments.find(quoteId);
    if (payment === null) throw new PaymentRemoved(409);
    return { text: replayedQuote(quoteText, payment, this.clock.now()), isReplayed: true };
  }

  private async makeAndStore(
    time: QuoteTime,
    order: QuoteOrder,
    claim: IdempotencyClaim | null = null,
  ): Promise<Made> {
    const candidates = await this.choice.of(order.request, order.provider);
    const answered = await this.attempts.make(order, candidates, time, (late) => this.keepLate(late));
    const { orderId, metadata, span = null } = order;
    const payment = this.paymentOf(answered);
    const isWanted = (): boolean => !time.isTooLateToStore;
    await this.store({ ...payment, orderId, metadata, span, isWanted }, claim);
    this.decimals.learnFromQuote(payment.quoteText);
    return { text: payment.quoteText, isReplayed: false };
  }

  /**
   * Stores the quote without the order, which another quote carries: the end of this quote must not look like the order's end.
   */
  private keepLate(late: AnsweredQuote): Promise<void> {
    return this.store({ ...this.paymentOf(late), ...NO_ORDER }, null);
  }

  private paymentOf({ cell, quote, attemptId }: AnsweredQuote) {
    const { quoteId, expectedMs, depositAddress } = quote;
    const provider = cell.provider.name;
    const quoteText = this.cells.asked.length > 1 ? withProvider(quote.text, provider) : quote.text;
    const expiresAt = this.expiryOf(quote);
    const report = quote.firstReport ?? null;
    return { quoteId, provider, expiresAt, expectedMs, depositAddress, quoteText, report, attemptId };
  }

  /** Fails for a quote that cannot be tracked: Paybell would never notice a deposit to its address. */
  private async store(payment: PaymentToAdd, claim: IdempotencyClaim | null): Promise<void> {
    try {
      await this.deliveries.leasing((offers) => this.payments.add(payment, claim, offers));
    } catch (error) {
      if (error instanceof OrderAlreadyNamed)
        throw new ProviderUnavailable('it gave the id of a completed payment again');
      if (!(error instanceof PaymentRemoved)) throw error;
      throw new ProviderUnavailable('it gave the id of a removed payment again');
    }
  }

  private expiryOf({ expiresIn }: Quote): Date | null {
    return expiresIn === null ? null : new Date(this.clock.now().getTime() + expiresIn * 1_000);
  }
}

/** Adds the provider's name at the end of the object: if a name occurs twice, the last one counts. */
function withProvider(quoteText: string, provider: string): string {
  return quoteText.trimEnd().replace(/\s*\}$/, `,"provider":${JSON.stringify(provider)}}`);
}
