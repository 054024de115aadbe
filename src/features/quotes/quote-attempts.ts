import { Injectable, Logger } from '@nestjs/common';

import type { Quote } from '../../domain/payment/quote.ts';
import { TookTooLong, within } from '../../platform/scheduling/within.ts';
import {
  ProviderCredentials,
  ProviderMisconfigured,
  ProviderNotAsked,
  ProviderRefused,
  ProviderUnavailable,
} from '../../ports/payment-provider.ts';
import { ProviderAtCapacity } from '../../ports/provider-at-capacity.ts';
import { type ProviderCell, ProviderCells } from '../../ports/provider-cell.ts';
import { Timers } from '../../ports/timers.ts';
import { mayHaveReached } from '../../ports/unreached.ts';
import { UnansweredQuotes } from '../../ports/unanswered-quotes.ts';
import { MonitoredQuoting, pauseIfTooMany } from './monitored-quoting.ts';
import type { QuoteOrder } from './quote.dto.ts';
import { QuoteTime, QuoteTimeOver } from './quote-time.ts';
import { QuotesSettings } from './quotes.settings.ts';

/** The time that each provider that may still be asked must have left, if the total time is long enough. */
const RESERVE_MS = 2_000;
const MIN_MS = 100;
/** A quote, and the provider that made it. */
export interface AnsweredQuote {
  readonly cell: ProviderCell;
  readonly quote: Quote;
  /** The row in UnansweredQuotes, which is removed when the quote is stored. Null: there is none, or it is kept. */
  readonly attemptId: string | null;
}

/** Receives the quote of an attempt that was given up; its deposit address must not be shown. */
export type KeepLate = (answered: AnsweredQuote) => Promise<void>;

/** Asks providers for a quote, one after another: never returns a quote while the quote of another provider may still come. */
@Injectable()
export class QuoteAttempts {
  private readonly log = new Logger('Quotes');

  constructor(
    private readonly cells: ProviderCells,
    private readonly quoting: MonitoredQuoting,
    private readonly unanswered: UnansweredQuotes,
    private readonly timers: Timers,
    private readonly settings: QuotesSettings,
  ) {}

  /** The time for a quote; with a single provider, as much time as it needs. */
  timeOf({ waitedMs = 0 }: QuoteOrder): QuoteTime {
    const [first, ...others] = this.cells.asked;
    const neededMs = others.length > 0 ? 0 : (first?.provider.limits.quoteTimeoutMs ?? 0);
    return new QuoteTime(this.timers, Math.max(this.settings.timeoutMs, neededMs), waitedMs);
  }

  /** Throws the providers' errors, and StoreUnavailable. */
  async make(
    order: QuoteOrder,
    candidates: readonly ProviderCell[],
    time: QuoteTime,
    keepLate: KeepLate,
  ): Promise<AnsweredQuote> {
    const failures: Failure[] = [];
    for (const [index, cell] of candidates.entries()) {
      const { leftToAskMs } = time;
      if (leftToAskMs <= 0) break;
      const others = candidates.length - 1 - index;
      const limitMs = limitOf(leftToAskMs, others);
      try {
        return await this.ask(cell, order, limitMs, keepLate);
      } catch (error) {
        if (!isProviders(error)) throw error;
        failures.push({ name: cell.provider.name, error });
      }
    }
    throw errorOf(failures);
  }

  /** Requests a quote within the provider's quote limit, if it has one. */
  private async ask(
    cell: ProviderCell,
    order: QuoteOrder,
    limitMs: number,
    keepLate: KeepLate,
  ): Promise<AnsweredQuote> {
    const { provider, quoteBudget } = cell;
    const startedAtMs = this.timers.nowMs();
    await within(limitMs, this.timers, provider.checkQuote(order.request)).catch(unavailableIfLate);
    await quoteBudget.takeQuote();
    const attemptId = await this.begin(cell, order);
    const spentMs = this.timers.nowMs() - startedAtMs;
    if (spentMs > limitMs) {
      const over = new QuoteTimeOver();
      await this.end(attemptId, over);
      throw over;
    }
    const asking = this.quoting.quote(cell, order);
    const leftMs = Math.max(limitMs - spentMs, MIN_MS);
    try {
      const quote = await within(leftMs, this.timers, asking);
      return { cell, quote, attemptId };
    } catch (error) {
      const told = await pauseIfTooMany(cell, error);
      if (error instanceof TookTooLong) void this.awaitLate(cell, attemptId, asking, keepLate);
      else await this.end(attemptId, error);
      return unavailableIfLate(told);
    }
  }

  /** A simulated provider opens no address at which money could be lost. */
  private async begin({ provider }: ProviderCell, { request, orderId }: QuoteOrder): Promise<string | null> {
    if (provider.isSimulated) return null;
    return this.unanswered.begin({ provider: provider.name, orderId, request });
  }

  /** The row of an attempt that may have opened an address stays, even if its answer could not be stored. */
  private async end(attemptId: string | null, error: unknown): Promise<void> {
    if (attemptId === null || !isProviders(error)) return;
    try {
      if (mayHaveQuoted(error)) await this.unanswered.fail(attemptId, error.reason);
      else await this.unanswered.withdraw(attemptId);
    } catch (thrown) {
      this.log.warn(`the end of a request for a quote was not stored: ${(thrown as Error).message}`);
    }
  }

  /** Tracks the quote of an attempt that was given up, if it still comes. */
  private async awaitLate(
    cell: ProviderCell,
    attemptId: string | null,
    asking: Promise<Quote>,
    keepLate: KeepLate,
  ): Promise<void> {
    await this.end(attemptId, new ProviderUnavailable('no answer in time'));
    try {
      const quote = await asking.catch(() => null);
      if (quote === null) return;
      await keepLate({ cell, quote, attemptId: null });
      if (attemptId !== null) await this.unanswered.setQuoteId(attemptId, quote.quoteId);
      this.log.warn(
        `${cell.provider.name} answered after the time of a quote was over: ${quote.quoteId} is tracked`,
      );
    } catch (error) {
      this.log.error(`a late quote of ${cell.provider.name} is not tracked: ${(error as Error).message}`);
    }
  }
}

type ProvidersError = ProviderRefused | ProviderUnavailable | ProviderCredentials | ProviderMisconfigured;

interface Failure {
  readonly name: string;
  readonly error: ProvidersError;
}

/** Never less than an equal share: a late quote opens an address that no payer is shown. */
function limitOf(leftMs: number, others: number): number {
  return Math.max(leftMs - RESERVE_MS * others, leftMs / (others + 1), MIN_MS);
}

function isProviders(error: unknown): error is ProvidersError {
  return [ProviderRefused, ProviderUnavailable, ProviderCredentials, ProviderMisconfigured].some(
    (kind) => error instanceof kind,
  );
}

function mayHaveQuoted(error: unknown): error is ProviderUnavailable {
  return (
    error instanceof ProviderUnavailable &&
    !error.isTooMany &&
    mayHaveReached(error.reason) &&
    !(error instanceof ProviderNotAsked) &&
    !(error instanceof ProviderAtCapacity)
  );
}

function unavailableIfLate(error: unknown): never {
  throw error instanceof TookTooLong ? new ProviderUnavailable('no answer in time') : error;
}

/** A failure that passes is preferred to a refusal: the same request may succeed later. */
function errorOf(failures: readonly Failure[]): Error {
  const [first] = failures;
  if (first === undefined) return new QuoteTimeOver();
  if (failures.length === 1) return first.error;
  const passing = failures.find(({ error }) => error instanceof ProviderUnavailable);
  if (passing !== undefined) return passing.error;
  const refusals = failures.filter(({ error }) => error instanceof ProviderRefused);
  const [{ error }] = [refusals[0] ?? first];
  if (!(error instanceof ProviderRefused)) return error;
  const words = refusals.map((each) => `${each.name}: ${each.error.message}`).join('; ');
  return new ProviderRefused(error.httpStatus, words, error.field);
}
