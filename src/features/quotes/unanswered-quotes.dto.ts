import { ApiProperty } from '@nestjs/swagger';

import { A_DATE_TIME, isDateTime } from '../../platform/http/date-time.ts';
import {
  IfGiven,
  MustBeFlag,
  PageCursor,
  PageLimit,
  PageSort,
  Repeatable,
} from '../../platform/http/list-query.ts';
import { MustBe, MustBeOrderId } from '../../platform/http/must-be.ts';

/** The query of the list. */
export class UnansweredQuotesQuery {
  /** Only requests to this provider; repeated, to any of these: names in PROVIDER. */
  @ApiProperty({ required: false, isArray: true, type: String, example: ['relay'] })
  @IfGiven()
  @Repeatable()
  @MustBe('names of providers', (value) => [value].flat().every((name) => typeof name === 'string'))
  provider?: string | string[];

  @ApiProperty({ required: false, minLength: 1, maxLength: 200 })
  @IfGiven()
  @MustBeOrderId()
  orderId?: string;

  /** Only requests whose answer came later: its quote is tracked. `false`: only others. */
  @ApiProperty({ type: Boolean, required: false })
  @IfGiven()
  @MustBeFlag()
  tracked?: string;

  /** Only requests at this instant or after it. */
  @ApiProperty({ required: false, format: 'date-time' })
  @IfGiven()
  @MustBe(A_DATE_TIME, isDateTime)
  requestedAfter?: string;

  /** Only requests before this instant (exclusive). */
  @ApiProperty({ required: false, format: 'date-time' })
  @IfGiven()
  @MustBe(A_DATE_TIME, isDateTime)
  requestedBefore?: string;

  /** By the time of the request: the newest first, or the oldest. */
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
  /** The quote, if its answer came later: it is tracked, as a payment without an order. */
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
