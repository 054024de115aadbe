import {
  pausedQuotesMs,
  pauseQuotes,
  takeQuote,
  type QuoteWindow,
} from '../../domain/rate-limit/quote-window.ts';
import { Batcher, REQUESTS } from '../../platform/scheduling/batcher.ts';
import { type PaymentProvider, ProviderNotAsked } from '../../ports/payment-provider.ts';
import { QuoteBudget } from '../../ports/quote-budget.ts';
import { failsAll } from '../connection/connection-errors.ts';
import type { Database } from '../connection/database.ts';
import { prepared } from '../connection/prepared.ts';

interface WindowRow {
  readonly taken_at: number[];
  readonly paused_until: number;
  readonly now_ms: number;
}

/**
 * One row for each provider, shared by all replicas: locked for one short transaction a quote; for a provider without a limit
 * only read.
 */
export class PostgresQuoteBudget extends QuoteBudget {
  /** Quotes that are asked for at once share one read. */
  private readonly pauseReads = new Batcher<void, number | null>((asked) => this.readPause(asked.length), {
    ...REQUESTS,
    failsAll,
  });

  constructor(
    private readonly database: Database,
    private readonly provider: PaymentProvider,
  ) {
    super();
  }

  async takeQuote(): Promise<void> {
    const { limit } = this;
    const pausedMs = limit === 0 ? await this.pauseReads.add() : null;
    if (pausedMs !== null)
      throw new ProviderNotAsked('paused, since it has asked for fewer quotes', pausedMs);
    if (limit === 0) return;
    const waitMs = await this.move((window, now) => takeQuote(window, now, limit));
    if (waitMs !== null)
      throw new ProviderNotAsked('busy, since its limit of quotes a minute is reached', waitMs);
  }

  async pause(forMs: number): Promise<void> {
    await this.move((window, now) => ({ window: pauseQuotes(window, forMs, now), waitMs: null }));
  }

  /**
   * The rest of the pause in milliseconds, for each caller; null: the provider has asked for no pause, or the pause is over.
   */
  private async readPause(count: number): Promise<(number | null)[]> {
    const [row] = await this.database.query<Omit<WindowRow, 'taken_at'>>(READ_PAUSE, [this.provider.name]);
    const pausedMs = row === undefined ? null : pausedQuotesMs({ pausedUntil: row.paused_until }, row.now_ms);
    return Array.from({ length: count }, () => pausedMs);
  }

  private get limit(): number {
    return this.provider.limits.maxQuotesPerMinute ?? 0;
  }

  private move(
    work: (window: QuoteWindow, now: number) => { window: QuoteWindow; waitMs: number | null },
  ): Promise<number | null> {
    return this.database.transaction(async (queries) => {
      const [row] = await queries.query<WindowRow>(READ, [this.provider.name]);
      if (row === undefined)
        throw new Error('The quotes of the last minute have no row: the schema is not complete.');
      const { window, waitMs } = work({ takenAt: row.taken_at, pausedUntil: row.paused_until }, row.now_ms);
      await queries.query(WRITE, [window.takenAt, window.pausedUntil, this.provider.name]);
      return waitMs;
    });
  }
}

const READ = `
  SELECT taken_at, paused_until, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms
  FROM quote_window WHERE provider = $1 FOR UPDATE`;

const READ_PAUSE = prepared(`
  SELECT paused_until, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms
  FROM quote_window WHERE provider = $1`);

const WRITE = `UPDATE quote_window SET taken_at = $1::float8[], paused_until = $2 WHERE provider = $3`;
