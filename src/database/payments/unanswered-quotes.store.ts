import { Injectable } from '@nestjs/common';

import { Batcher, REQUESTS } from '../../platform/scheduling/batcher.ts';
import { MOST_COUNTED } from '../../ports/attention.ts';
import {
  type AskedQuote,
  NOT_ENDED,
  type RecentlyUnanswered,
  type UnansweredFilter,
  type UnansweredQuote,
  UnansweredQuotes,
} from '../../ports/unanswered-quotes.ts';
import { UNSAFE } from '../../ports/unfit-quote.ts';
import { failsAll } from '../connection/connection-errors.ts';
import { readCursor, writeCursor } from '../connection/cursor.ts';
import { Database } from '../connection/database.ts';
import { prepared } from '../connection/prepared.ts';

/** A count that takes longer is given up; the caller asks again. */
const READ_WITHIN_MS = 3_000;

/** The unanswered requests for quotes in PostgreSQL. */
@Injectable()
export class PostgresUnansweredQuotes extends UnansweredQuotes {
  private readonly begins = new Batcher<AskedQuote, string>((asked) => this.beginGroup(asked), {
    ...REQUESTS,
    failsAll,
  });
  private readonly withdrawals = new Batcher<string>((ids) => this.withdrawGroup(ids), {
    ...REQUESTS,
    failsAll,
  });

  constructor(private readonly database: Database) {
    super();
  }

  begin(asked: AskedQuote): Promise<string> {
    return this.begins.add(asked);
  }

  async fail(id: string, reason: string): Promise<void> {
    await this.database.query('UPDATE unanswered_quote SET reason = $2 WHERE id = $1', [id, reason]);
  }

  withdraw(id: string): Promise<void> {
    return this.withdrawals.add(id);
  }

  async setQuoteId(id: string, quoteId: string): Promise<void> {
    await this.database.query('UPDATE unanswered_quote SET quote_id = $2 WHERE id = $1', [id, quoteId]);
  }

  async list(filter: UnansweredFilter): Promise<{ quotes: UnansweredQuote[]; nextCursor: string | null }> {
    const { limit, sort = 'newest', cursor, providers, orderId } = filter;
    const found = await this.database.reads.query<UnansweredQuote>(LIST[sort], [
      cursor === undefined ? null : readCursor('u', cursor),
      providers ?? null,
      orderId ?? null,
      filter.isTracked ?? null,
      filter.requestedAfter ?? null,
      filter.requestedBefore ?? null,
      limit + 1,
    ]);
    const last = found[limit - 1];
    const isMore = found.length > limit && last !== undefined;
    return { quotes: found.slice(0, limit), nextCursor: isMore ? writeCursor('u', last.id) : null };
  }

  async recent(): Promise<RecentlyUnanswered> {
    const rows = await this.database.reads.query<{
      provider: string;
      count: number;
      unfit: number;
      since: Date;
    }>(RECENT, [NOT_ENDED, UNSAFE], READ_WITHIN_MS);
    const counted = rows.reduce((sum, { count }) => sum + count, 0);
    const times = rows.map(({ since }) => since.getTime());
    return {
      count: Math.min(counted, MOST_COUNTED),
      isMore: counted > MOST_COUNTED,
      unfit: Math.min(
        rows.reduce((sum, { unfit }) => sum + unfit, 0),
        MOST_COUNTED,
      ),
      since: times.length === 0 ? null : new Date(Math.min(...times)),
      providers: rows.map(({ provider, count }) => ({ provider, count })),
    };
  }

  async removeBefore(before: Date): Promise<number> {
    const removed = await this.database.query(
      'DELETE FROM unanswered_quote WHERE requested_at < $1 RETURNING id',
      [before],
    );
    return removed.length;
  }

  private async beginGroup(asked: readonly AskedQuote[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(BEGIN, [
      asked.map(({ provider }) => provider),
      asked.map(({ orderId }) => orderId),
      asked.map(({ request }) => JSON.stringify(request)),
      NOT_ENDED,
    ]);
    return rows.map(({ id }) => id);
  }

  private async withdrawGroup(ids: readonly string[]): Promise<void> {
    await this.database.query('DELETE FROM unanswered_quote WHERE id = ANY ($1::bigint[])', [ids]);
  }
}

const listed = (order: string, behind: string): string => `
  SELECT id, requested_at AS "requestedAt", provider, order_id AS "orderId", request, reason, quote_id AS "quoteId"
  FROM unanswered_quote
  WHERE ($1::bigint IS NULL OR id ${behind} $1) AND ($2::text[] IS NULL OR provider = ANY ($2))
    AND ($3::text IS NULL OR order_id = $3) AND ($4::boolean IS NULL OR (quote_id IS NOT NULL) = $4)
    AND ($5::timestamptz IS NULL OR requested_at >= $5) AND ($6::timestamptz IS NULL OR requested_at < $6)
  ORDER BY id ${order} LIMIT $7`;

const LIST = { newest: listed('DESC', '<'), oldest: listed('ASC', '>') } as const;

/** Reads only the newest rows: after a day operators know the older ones. A request takes at most two minutes. */
const RECENT = `
  SELECT q.provider, count(*)::int AS count,
    (count(*) FILTER (WHERE starts_with(q.reason, $2)))::int AS unfit, min(q.requested_at) AS since FROM (
    SELECT provider, requested_at, reason, quote_id FROM unanswered_quote ORDER BY id DESC LIMIT ${MOST_COUNTED + 1}
  ) q
  WHERE q.requested_at > now() - interval '1 day' AND q.quote_id IS NULL
    AND (q.reason <> $1 OR q.requested_at < now() - interval '2 minutes')
  GROUP BY q.provider ORDER BY q.provider`;

/**
 * Answers in the order of the requests. The commit does not wait for the disk, which would add 5 % to a quote's time: rows
 * survive any end of Paybell, and only a crash of the database may lose those of its last half second.
 */
const BEGIN = prepared(`
  WITH settings AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
  INSERT INTO unanswered_quote (provider, order_id, request, reason)
  SELECT w.provider, w.order_id, w.request::jsonb, $4
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS w (provider, order_id, request, place)
  WHERE (SELECT true FROM settings)
  ORDER BY w.place
  RETURNING id`);
