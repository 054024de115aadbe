import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  And,
  type FindOptionsWhere,
  In,
  IsNull,
  LessThan,
  MoreThan,
  MoreThanOrEqual,
  Not,
  type Repository,
} from 'typeorm';

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
import { UnansweredQuoteEntity } from '../entities/unanswered-quote.entity.ts';

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

  constructor(
    private readonly database: Database,
    @InjectRepository(UnansweredQuoteEntity) private readonly quotes: Repository<UnansweredQuoteEntity>,
  ) {
    super();
  }

  begin(asked: AskedQuote): Promise<string> {
    return this.begins.add(asked);
  }

  async fail(id: string, reason: string): Promise<void> {
    await this.database.withRepository(this.quotes, (quotes) => quotes.update(id, { reason }));
  }

  withdraw(id: string): Promise<void> {
    return this.withdrawals.add(id);
  }

  async setQuoteId(id: string, quoteId: string): Promise<void> {
    await this.database.withRepository(this.quotes, (quotes) => quotes.update(id, { quoteId }));
  }

  async list(filter: UnansweredFilter): Promise<{ quotes: UnansweredQuote[]; nextCursor: string | null }> {
    const { limit, sort = 'newest' } = filter;
    const where = conditionsOf(filter);
    const order = { id: sort === 'newest' ? 'DESC' : 'ASC' } as const;
    const found = await this.database.reads.withRepository(this.quotes, (quotes) =>
      quotes.find({ where, order, take: limit + 1 }),
    );
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
    const { affected } = await this.database.withRepository(this.quotes, (quotes) =>
      quotes.delete({ requestedAt: LessThan(before) }),
    );
    return affected ?? 0;
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
    await this.database.withRepository(this.quotes, (quotes) => quotes.delete({ id: In([...ids]) }));
  }
}

function conditionsOf({
  cursor,
  sort,
  providers,
  orderId,
  isTracked,
  requestedAfter,
  requestedBefore,
}: UnansweredFilter): FindOptionsWhere<UnansweredQuoteEntity> {
  const behind = sort === 'oldest' ? MoreThan : LessThan;
  const times = [
    ...(requestedAfter === undefined ? [] : [MoreThanOrEqual(requestedAfter)]),
    ...(requestedBefore === undefined ? [] : [LessThan(requestedBefore)]),
  ];
  return {
    ...(cursor === undefined ? {} : { id: behind(readCursor('u', cursor)) }),
    ...(providers === undefined ? {} : { provider: In([...providers]) }),
    ...(orderId === undefined ? {} : { orderId }),
    ...(isTracked === undefined ? {} : { quoteId: isTracked ? Not(IsNull()) : IsNull() }),
    ...(times.length === 0 ? {} : { requestedAt: And(...times) }),
  };
}

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
