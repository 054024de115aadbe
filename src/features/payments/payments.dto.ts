import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';

import { RESOLUTION_REASONS, type ResolutionReason } from '../../domain/payment/payment.ts';
import { isRecord } from '../../domain/payment/reading.ts';
import { isNote } from '../../domain/payment/resolve.ts';
import { isSearch, MAX_SEARCH } from '../../domain/payment/search.ts';
import { STATUSES } from '../../domain/payment/status.ts';
import { A_DATE_TIME, isDateTime } from '../../platform/http/date-time.ts';
import {
  DEFAULT_LIMIT,
  IfGiven,
  MAX_LIMIT,
  MustBeCursor,
  MustBeLimit,
  MustBeWords,
  Repeatable,
} from '../../platform/http/list-query.ts';
import { MustBe, MustBeMetadata, MustBeOrderId, MustBeQuoteId } from '../../platform/http/must-be.ts';

/** A quote that was made elsewhere, to be tracked. */
export class TrackBody {
  /** The quote's id at the provider. */
  @ApiProperty({ maxLength: 128, example: '5af8532c-5bf4-45c2-b099-1b36e96e91a3' })
  @MustBeQuoteId()
  quoteId!: string;

  /**
   * The quote as the provider answered it. It is stored verbatim, unless the payment has one already. Its deposit address must
   * be the one that the provider reports.
   */
  @ApiPropertyOptional({ type: 'object', nullable: true, additionalProperties: true })
  @IsOptional()
  @MustBe('a JSON object: the quote as the provider answered it', isRecord)
  quote?: Record<string, unknown> | null;

  /** The merchant's own id of the order; every event carries it. */
  @ApiProperty({ type: String, required: false, nullable: true, minLength: 1, maxLength: 200 })
  @IsOptional()
  @MustBeOrderId()
  orderId?: string | null;

  /** Up to 50 strings of up to 500 characters, with their keys 32 KiB in all; every event carries them. */
  @ApiPropertyOptional({
    type: 'object',
    nullable: true,
    additionalProperties: { type: 'string', maxLength: 500 },
  })
  @IsOptional()
  @MustBeMetadata()
  metadata?: Record<string, string> | null;
}

/** How a payment was settled otherwise. */
export class ResolveBody {
  /**
   * `refunded`: the payer has the money back. `fulfilled_elsewhere`: the order was fulfilled by other means. `written_off`: the
   * money is given up. `duplicate`: another payment counts. `test`: it was none of a customer.
   */
  @ApiProperty({ enum: RESOLUTION_REASONS })
  @MustBe(`one of ${RESOLUTION_REASONS.join(', ')}`, isReason)
  reason!: ResolutionReason;

  /** For your records; the event and the payment carry it. */
  @ApiProperty({ type: String, required: false, nullable: true, minLength: 1, maxLength: 500 })
  @IsOptional()
  @MustBe('a string of 1 to 500 characters without control or direction characters', isNote)
  note?: string | null;
}

function isReason(value: unknown): boolean {
  return RESOLUTION_REASONS.some((reason) => reason === value);
}

/** The filters of the list of payments. */
export class PaymentsQuery {
  /** Only payments in this status; repeated, in any of these. */
  @ApiProperty({ required: false, isArray: true, enum: STATUSES, maxItems: STATUSES.length })
  @IfGiven()
  @Repeatable()
  @MustBeWords(STATUSES)
  status?: string | string[];

  @ApiProperty({ required: false, minLength: 1, maxLength: 200 })
  @IfGiven()
  @MustBeOrderId()
  orderId?: string;

  /**
   * Only payments with this id, address or transaction: quote or order id, deposit, recipient or refund address, transaction,
   * Relay's request id. Values of quote and report are found by their beginning too, from 6 hexadecimal digits or 8 other
   * characters on. UUIDs and EVM addresses match in any case, base58 exactly. Pages may have fewer than `limit` before the last.
   */
  @ApiProperty({ required: false, minLength: 1, maxLength: MAX_SEARCH })
  @IfGiven()
  @MustBe(
    `a string of 1 to ${MAX_SEARCH} characters without control, separating or direction characters`,
    isSearch,
  )
  search?: string;

  /** Only payments created at this instant or after it. */
  @ApiProperty({ required: false, format: 'date-time' })
  @IfGiven()
  @MustBe(A_DATE_TIME, isDateTime)
  createdAfter?: string;

  /** Only payments created before this instant, not at it: adjacent windows share no payment. */
  @ApiProperty({ required: false, format: 'date-time' })
  @IfGiven()
  @MustBe(A_DATE_TIME, isDateTime)
  createdBefore?: string;

  @ApiProperty({ type: 'integer', required: false, minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })
  @IfGiven()
  @MustBeLimit()
  limit?: string;

  /** `nextCursor` of the page before. */
  @ApiProperty({ required: false })
  @IfGiven()
  @MustBeCursor()
  cursor?: string;
}

/** The page of a payment's events. */
export class PaymentEventsQuery {
  /** `nextCursor` of the page before. */
  @ApiProperty({ required: false })
  @IfGiven()
  @MustBeCursor()
  cursor?: string;
}
