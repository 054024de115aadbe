import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, LessThan, type Repository } from 'typeorm';

import { Batcher, REQUESTS } from '../../platform/scheduling/batcher.ts';
import {
  type AskedQuote,
  NOT_ENDED,
  type UnansweredQuote,
  UnansweredQuotes,
} from '../../ports/unanswered-quotes.ts';
import { failsAll } from '../connection/connection-errors.ts';
import { readCursor, writeCursor } from '../connection/cursor.ts';
import { Database } from '../connection/database.ts';
import { prepared } from '../connection/prepared.ts';
import { UnansweredQuoteEntity } from '../entities/unanswered-quote.entity.ts';

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

  async list(
    limit: number,
    cursor?: string,
  ): Promise<{ quotes: UnansweredQuote[]; nextCursor: string | null }> {
    const where = cursor === undefined ? {} : { id: LessThan(readCursor('u', cursor)) };
    const found = await this.database.withRepository(this.quotes, (quotes) =>
      quotes.find({ where, order: { id: 'DESC' }, take: limit + 1 }),
    );
    const last = found[limit - 1];
    const isMore = found.length > limit && last !== undefined;
    return { quotes: found.slice(0, limit), nextCursor: isMore ? writeCursor('u', last.id) : null };
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

/**
 * Rows in the order of those that ask. The commit does not wait for the disk, which costs a quote 5 % of its time: a row outlives every
 * end of Paybell, and a crash of the database alone may lose those of its last half second.
 */
const BEGIN = prepared(`
  WITH settings AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
  INSERT INTO unanswered_quote (provider, order_id, request, reason)
  SELECT w.provider, w.order_id, w.request::jsonb, $4
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS w (provider, order_id, request, place)
  WHERE (SELECT true FROM settings)
  ORDER BY w.place
  RETURNING id`);
