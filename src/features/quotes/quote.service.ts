import { setTimeout as sleep } from 'node:timers/promises';

import { Injectable, Logger } from '@nestjs/common';

import type { Quote } from '../../domain/payment/quote.ts';
import { DeliverySignals } from '../../platform/scheduling/delivery-signals.ts';
import { Clock } from '../../ports/clock.ts';
import {
  Idempotency,
  type IdempotencyBegin,
  IdempotencyBusy,
  type IdempotencyClaim,
  IdempotencyMismatch,
} from '../../ports/idempotency.ts';
import { ProviderUnavailable } from '../../ports/payment-provider.ts';
import { OrderAlreadyNamed } from '../../ports/labels.ts';
import { PaymentRemoved, Payments, StoreUnavailable, type PaymentToAdd } from '../../ports/payments.ts';
import { ProviderCells } from '../../ports/provider-cell.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { ProviderChoice } from './provider-choice.ts';
import { type AnsweredQuote, QuoteAttempts } from './quote-attempts.ts';
import type { QuoteOrder, IdempotentRequest } from './quote.dto.ts';
import { replayedQuote } from './replayed-quote.ts';
import { RequestCheck, TokenDecimals } from './request-check.ts';
import { QuotesSettings } from './quotes.settings.ts';

type Done = Extract<IdempotencyBegin, { kind: 'done' }>;
export type ClaimedOrDone = Extract<IdempotencyBegin, { kind: 'claimed' }> | Done;

/** Renewals within one lease, so that one or two may fail. */
const RENEWALS = 3;

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
    const { idempotencyWaitMs, idempotencyPollMs, idempotencyLeaseMs } = this.settings;
    const timeoutMs = asked.length > 1 ? this.settings.timeoutMs : preferred.provider.limits.timeoutMs;
    const giveUpAtMs = performance.now() + timeoutMs + idempotencyWaitMs;
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
   * Runs `make` under the claim, whose lease is renewed as long as it takes: a lease that ended before would let the next
   * request open a second deposit address. Releases the claim when `make` fails.
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

  /** Best effort: the lease of a claim that can't be released expires by itself. */
  private async release(claim: IdempotencyClaim): Promise<void> {
    try {
      await this.idempotency.release(claim);
    } catch (error) {
      this.log.warn(`an Idempotency-Key stays claimed until its lease expires: ${(error as Error).message}`);
    }
  }
}

const NO_ORDER = { orderId: null, metadata: null };

export interface MadeQuote {
  /** The provider's quote, verbatim but for `expiresIn` of a replay; with several providers, and the name of its own. */
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
    private readonly choice: ProviderChoice,
    private readonly attempts: QuoteAttempts,
    private readonly payments: Payments,
    private readonly deliveries: DeliverySignals,
    private readonly decimals: TokenDecimals,
    private readonly clock: Clock,
    private readonly database: DatabaseHealth,
  ) {}

  /** Throws InvalidField, the errors of QuoteIdempotency, replayedQuote and the providers, and StoreUnavailable. */
  async make(asked: QuoteOrder): Promise<MadeQuote> {
    const order = { ...asked, request: await this.check.check(asked.request) };
    // Without the database each retry of the merchant would make a quote that can't be stored.
    const problem = await this.database.problem();
    if (problem !== null) throw new StoreUnavailable({ reason: problem.detail });
    if (order.idempotent === null) return this.makeAndStore(order);
    const claimed = await this.idempotency.claim(order.idempotent);
    if (claimed.kind === 'done') return this.replay(claimed);
    return this.idempotency.hold(claimed.claim, () => this.makeAndStore(order, claimed.claim));
  }

  private async replay({ quoteId, quoteText }: Done): Promise<MadeQuote> {
    const payment = await this.payments.find(quoteId);
    if (payment === null) throw new PaymentRemoved(409);
    return { text: replayedQuote(quoteText, payment, this.clock.now()), isReplayed: true };
  }

  private async makeAndStore(order: QuoteOrder, claim: IdempotencyClaim | null = null): Promise<MadeQuote> {
    // Estimates are a part of the time.
    const endAtMs = this.attempts.endAtMs();
    const candidates = await this.choice.of(order.request, order.provider);
    const answered = await this.attempts.make(order, candidates, endAtMs, (late) => this.keepLate(late));
    const { orderId, metadata, span = null } = order;
    const payment = this.paymentOf(answered);
    await this.store({ ...payment, orderId, metadata, span }, claim);
    this.decimals.learnFromQuote(payment.quoteText);
    return { text: payment.quoteText, isReplayed: false };
  }

  /** Without the order, which another quote carries: what becomes of this one must not look like the order's end. */
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

  /** Fails for a quote that can't be tracked: Paybell would never notice a deposit to its address. */
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

/** At the end of the object: of a name that stands twice, the last one counts. */
function withProvider(quoteText: string, provider: string): string {
  return quoteText.trimEnd().replace(/\s*\}$/, `,"provider":${JSON.stringify(provider)}}`);
}
