import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, type Repository } from 'typeorm';

import {
  UnansweredQuotes,
  type StoredUnansweredQuote,
  type UnansweredQuote,
} from '../../ports/unanswered-quotes.ts';
import { Database } from '../connection/database.ts';
import { UnansweredQuoteEntity } from '../entities/unanswered-quote.entity.ts';

/** The unanswered requests for quotes in PostgreSQL. */
@Injectable()
export class PostgresUnansweredQuotes extends UnansweredQuotes {
  constructor(
    private readonly database: Database,
    @InjectRepository(UnansweredQuoteEntity) private readonly quotes: Repository<UnansweredQuoteEntity>,
  ) {
    super();
  }

  async addQuote(quote: UnansweredQuote): Promise<string> {
    const saved = await this.database.withRepository(this.quotes, (quotes) => quotes.save({ ...quote }));
    return saved.id;
  }

  async setQuoteId(id: string, quoteId: string): Promise<void> {
    await this.database.withRepository(this.quotes, (quotes) => quotes.update(id, { quoteId }));
  }

  list(limit: number): Promise<readonly StoredUnansweredQuote[]> {
    return this.database.withRepository(this.quotes, (quotes) =>
      quotes.find({ order: { id: 'DESC' }, take: limit }),
    );
  }

  async removeBefore(before: Date): Promise<number> {
    const { affected } = await this.database.withRepository(this.quotes, (quotes) =>
      quotes.delete({ requestedAt: LessThan(before) }),
    );
    return affected ?? 0;
  }
}
