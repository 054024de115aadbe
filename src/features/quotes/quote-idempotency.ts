import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';

import {
  Idempotency,
  type IdempotencyBegin,
  IdempotencyBusy,
  type IdempotencyClaim,
  IdempotencyMismatch,
} from '../../ports/idempotency.ts';
import { PaymentRemoved, type StoredPayment } from '../../ports/payments.ts';
import { ProviderCells } from '../../ports/provider-cell.ts';
import type { IdempotentRequest } from './quote.dto.ts';
import { QuotesSettings } from './quotes.settings.ts';
import { readQuote } from '../../domain/payment/quote.ts';
import { isMoneyInFlight, type Status } from '../../domain/payment/status.ts';
import { memberTexts } from '../../domain/text/member-text.ts';

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

type QuotedPayment = Pick<StoredPayment, 'quoteId' | 'status' | 'expiresAt'>;

/** The quote of this key is paid or has ended: its deposit address must not be shown again. */
class QuoteNoLongerPayable extends Error {
  readonly code = 'quote_no_longer_payable';
  readonly members: Readonly<Record<string, unknown>>;
  constructor({ quoteId, status }: QuotedPayment) {
    super(`The quote of this Idempotency-Key cannot be paid any more: ${reasonOf(status)}`);
    this.members = { quoteId, paymentStatus: status };
  }
}

/**
 * The quote that a request with the same Idempotency-Key made, with its remaining seconds, rounded up. Throws
 * QuoteNoLongerPayable: a deposit address takes one deposit, and none after its expiry.
 */
export function replayedQuote(quoteText: string, payment: QuotedPayment, now: Date): string {
  const { status, expiresAt } = payment;
  const leftMs = expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt.getTime() - now.getTime();
  if (status !== 'AWAITING_DEPOSIT' || leftMs <= 0) throw new QuoteNoLongerPayable(payment);
  const stated = readQuote(JSON.parse(quoteText), quoteText)?.expiresIn ?? null;
  const left = Math.ceil(leftMs / 1_000);
  return stated === null || left >= stated ? quoteText : withExpiresIn(quoteText, left);
}

/** Keeps every other member's text: parsing it could drop digits. */
function withExpiresIn(quoteText: string, seconds: number): string {
  const members = memberTexts(quoteText) ?? new Map<string, string>();
  members.set('expiresIn', String(seconds));
  const texts = [...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return `{${texts.join(',')}}`;
}

function reasonOf(status: Status): string {
  if (status === 'COMPLETED') return 'its payment is completed.';
  if (isMoneyInFlight(status)) return 'its payment is under way. Follow it by its quoteId.';
  return 'it has ended. A new attempt needs a key of its own.';
}
