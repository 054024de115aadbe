import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';

import { ACCESS, Allow } from '../../platform/http/access.ts';
import { DEFAULT_LIMIT, PageCursor, PageLimit } from '../../platform/http/list-query.ts';
import { UnansweredQuotes } from '../../ports/unanswered-quotes.ts';

/** The query of the list. */
export class UnansweredQuotesQuery {
  @PageLimit()
  limit?: string;

  /** `nextCursor` of the page before. */
  @PageCursor()
  cursor?: string;
}

/** A request for a quote whose result is not known. */
export class UnansweredQuoteAnswer {
  id!: string;
  requestedAt!: Date;
  provider!: string;
  @ApiProperty({ type: String, nullable: true })
  orderId!: string | null;
  /** The fields that were asked for. */
  request!: object;
  /** Why there was no answer. */
  reason!: string;
  /** The quote, if its answer came after all: it is tracked, as a payment without an order. */
  @ApiProperty({ type: String, nullable: true })
  quoteId!: string | null;
}

/** The list. */
export class UnansweredQuotesAnswer {
  @ApiProperty({ type: [UnansweredQuoteAnswer] })
  data!: readonly UnansweredQuoteAnswer[];
  @ApiProperty({ type: String, nullable: true })
  nextCursor!: string | null;
}

/** Requests for quotes that providers left without an answer: each may have a deposit address that no payer was shown. */
@ApiTags('Operations')
@Controller('api/unanswered-quotes')
export class UnansweredQuotesController {
  constructor(private readonly unanswered: UnansweredQuotes) {}

  @Get()
  @Allow(ACCESS.inspect)
  @ApiOperation({
    operationId: 'listUnansweredQuotes',
    summary: 'Requests for quotes without an answer, newest first',
  })
  @ApiOkResponse({ type: UnansweredQuotesAnswer })
  async list(@Query() { limit, cursor }: UnansweredQuotesQuery): Promise<UnansweredQuotesAnswer> {
    const count = limit ? Number(limit) : DEFAULT_LIMIT;
    const { quotes: data, nextCursor } = await this.unanswered.list(count, cursor || undefined);
    return { data, nextCursor };
  }
}
