import type { Timers } from '../../ports/timers.ts';

/** Complaints about this many payments, without a usable answer between them, concern all requests. */
const SEVERAL = 3;
/** First complaints about this many payments within this time, among usable answers, concern the rate. */
const FREQUENT = 6;
const FREQUENT_WITHIN_MS = 60_000;
/** If no payment was answered for this many intervals, one complaint is enough. */
const UNANSWERED_INTERVALS = 2;
const LEAST_UNANSWERED_MS = 2_000;
/** The longest pause for fewer than SEVERAL complaints: the next payment may be answered. */
const MAX_FEW_PAUSE_MS = 60_000;

/**
 * The subject of a complaint: its payment alone, while others are answered; the rate of requests, some of which are answered;
 * or all requests.
 */
export interface Concern {
  readonly of: 'payment' | 'rate' | 'all';
  /** The longest pause that the complaint may cause. */
  readonly pauseUpToMs: number;
}

export const OF_ALL: Concern = { of: 'all', pauseUpToMs: Number.POSITIVE_INFINITY };

/** Tells a provider that asks for fewer requests (429, 503) from a provider that answers so only about a certain payment. */
export class Complaints {
  /** Payments with a first complaint since the last usable answer about any payment. */
  private readonly begun = new Set<string>();
  /** When the complaints about the last payments began, by the clock of the timers; the oldest first. */
  private readonly begunAt = new Map<string, number>();
  private pauseUntil = 0;
  private cancelWait: (() => void) | null = null;

  constructor(
    private readonly timers: Timers,
    private readonly pollIntervalMs: number,
    /** Called when no payment was answered after a few complaints. */
    private readonly onUnanswered: (pauseMs: number) => void,
  ) {}

  noteUsable(): void {
    if (this.begun.size === 0) return;
    this.begun.clear();
    this.stopWaiting();
  }

  /**
   * `failuresBefore` counts the payment's failed polls in a row: a repeated complaint says nothing new about other payments.
   */
  judge(quoteId: string, retryAfterMs: number | null, failuresBefore: number): Concern {
    const isFirst = failuresBefore === 0;
    const before = this.begun.size;
    if (isFirst && before < SEVERAL) this.begin(quoteId, retryAfterMs ?? 0);
    if (this.begun.size >= SEVERAL) {
      this.stopWaiting();
      // Other payments may be answered: only a complaint after these few pauses makes all requests wait longer.
      return before < SEVERAL ? { ...OF_ALL, pauseUpToMs: MAX_FEW_PAUSE_MS } : OF_ALL;
    }
    return { of: isFirst && this.areFrequent ? 'rate' : 'payment', pauseUpToMs: 0 };
  }

  private begin(quoteId: string, retryAfterMs: number): void {
    if (this.begun.has(quoteId)) return;
    const nowMs = this.timers.nowMs();
    this.begun.add(quoteId);
    this.begunAt.delete(quoteId);
    this.begunAt.set(quoteId, nowMs);
    if (this.begunAt.size > FREQUENT) this.begunAt.delete(this.begunAt.keys().next().value ?? '');
    this.pauseUntil = Math.max(this.pauseUntil, nowMs + Math.min(retryAfterMs, MAX_FEW_PAUSE_MS));
    const unansweredMs = Math.max(UNANSWERED_INTERVALS * this.pollIntervalMs, LEAST_UNANSWERED_MS);
    this.cancelWait ??= this.timers.after(unansweredMs, () => {
      this.cancelWait = null;
      this.onUnanswered(Math.max(this.pauseUntil - this.timers.nowMs(), 0));
    });
  }

  private get areFrequent(): boolean {
    const [first = 0] = this.begunAt.values();
    return this.begunAt.size >= FREQUENT && this.timers.nowMs() - first <= FREQUENT_WITHIN_MS;
  }

  private stopWaiting(): void {
    this.cancelWait?.();
    this.cancelWait = null;
  }
}
