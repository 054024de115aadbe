import { ApiProperty } from '@nestjs/swagger';

import { PageCursor, PageLimit, PageSort } from '../../platform/http/list-query.ts';
import { FilterFlag, FilterOrderId, FilterProviders, FilterTime } from '../../platform/http/list-filters.ts';

/** The query of the list. */
export class UnansweredQuotesQuery {
  /** Only requests to this provider, by its name, also where PROVIDER no longer has it; a repeated parameter allows any of several. */
  @FilterProviders()
  provider?: string | string[];

  @FilterOrderId()
  orderId?: string;

  /** Only requests whose answer came later, so that the quote is tracked. `false`: only other requests. */
  @FilterFlag()
  tracked?: string;

  /** Only requests at this instant or after it. */
  @FilterTime()
  requestedAfter?: string;

  /** Only requests before this instant (exclusive). */
  @FilterTime()
  requestedBefore?: string;

  /** The order by the time of the request: the newest first, or the oldest. */
  @PageSort()
  sort?: string;

  @PageLimit()
  limit?: string;

  /** `nextCursor` of the page before. */
  @PageCursor()
  cursor?: string;
}

/** A request for a quote without a known result. */
export class UnansweredQuoteAnswer {
  @ApiProperty({ example: '1042' })
  id!: string;
  @ApiProperty({ type: String, format: 'date-time' })
  requestedAt!: Date;
  @ApiProperty({ example: 'relay' })
  provider!: string;
  @ApiProperty({ type: String, nullable: true })
  orderId!: string | null;
  /** The requested fields. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  request!: object;
  /** Why there was no answer. */
  @ApiProperty({ example: 'timeout' })
  reason!: string;
  /** The quote, if its answer came later: it is tracked as a payment without an order. */
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
