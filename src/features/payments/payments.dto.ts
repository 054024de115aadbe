import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';

import { isRecord } from '../../domain/payment/reading.ts';
import { isNote } from '../../domain/transitions/resolve.ts';
import { SETTLEMENT_REASONS, type ResolutionReason } from '../../domain/payment/payment.ts';
import { PageCursor } from '../../platform/http/list-query.ts';
import { MustBe, MustBeMetadata, MustBeOrderId, MustBeQuoteId } from '../../platform/http/must-be.ts';
import { RefusesSlips } from '../../platform/http/read-fields.ts';

/** A quote that was made elsewhere, to be tracked. */
export class TrackBody {
  /** The quote's id at the provider. */
  @ApiProperty({ maxLength: 128, example: '5af8532c-5bf4-45c2-b099-1b36e96e91a3' })
  @MustBeQuoteId()
  quoteId!: string;

  /**
   * The quote object as the provider returned it. It is stored verbatim, unless the payment has one already. Its deposit
   * address must be the one that the provider reports.
   */
  @ApiPropertyOptional({ type: 'object', nullable: true, additionalProperties: true })
  @IsOptional()
  @RefusesSlips()
  @MustBe('a JSON object: the quote as the provider answered it', isRecord)
  quote?: Record<string, unknown> | null;

  /** The merchant's own id of the order; every event carries it. */
  @ApiProperty({ type: String, required: false, nullable: true, minLength: 1, maxLength: 200 })
  @IsOptional()
  @RefusesSlips()
  @MustBeOrderId()
  orderId?: string | null;

  /** Up to 50 strings of up to 500 characters, with keys of up to 100; every event carries them. */
  @ApiPropertyOptional({
    type: 'object',
    nullable: true,
    additionalProperties: { type: 'string', maxLength: 500 },
  })
  @IsOptional()
  @RefusesSlips('meta')
  @MustBeMetadata()
  metadata?: Record<string, string> | null;
}

const MOST_HANDED_OVER = 500;

/** Many quotes that were made elsewhere. */
export class HandOverBody {
  /** A refused quote does not affect the others. */
  @ApiProperty({ type: [TrackBody], minItems: 1, maxItems: MOST_HANDED_OVER })
  @MustBe(`an array of 1 to ${MOST_HANDED_OVER} quotes`, isHandOver)
  payments!: readonly unknown[];
}

/** A payer's deposit. */
export class DepositBody {
  /** The hash of the transaction, as the source chain's explorers show it. */
  @ApiProperty({ minLength: 32, maxLength: 128, example: `0x${'5a'.repeat(32)}` })
  @MustBe('a transaction hash: 32 to 128 letters, digits and "+/_=-"', isTxHash)
  txHash!: string;
}

/** How a payment was settled by hand. */
export class ResolveBody {
  /**
   * `refunded`: the payer has the money back. `fulfilled_elsewhere`: the order was fulfilled by other means. `written_off`:
   * the money is given up. `duplicate`: another payment counts. `test`: it was not a customer's payment.
   */
  @ApiProperty({ enum: SETTLEMENT_REASONS })
  @MustBe(`one of ${SETTLEMENT_REASONS.join(', ')}`, isReason)
  reason!: ResolutionReason;

  /** For your records; the event and the payment carry it. */
  @ApiProperty({ type: String, required: false, nullable: true, minLength: 1, maxLength: 500 })
  @IsOptional()
  @MustBe('a string of 1 to 500 characters without control or direction characters', isNote)
  note?: string | null;
}

/** Why a person completes a withheld payment. */
export class ReleaseBody {
  /** How you know that the money has arrived: the audit log, the event and the payment carry it. */
  @ApiProperty({ minLength: 1, maxLength: 500, example: 'seen in the wallet, ticket 7' })
  @MustBe('a string of 1 to 500 characters without control or direction characters', isNote)
  reason!: string;
}

function isHandOver(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.length <= MOST_HANDED_OVER;
}

/** Hexadecimal, base58 or base64, depending on the chain. */
function isTxHash(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z0-9+/_=-]{32,128}$/.test(value);
}

function isReason(value: unknown): boolean {
  return SETTLEMENT_REASONS.some((reason) => reason === value);
}

/** The page of a payment's events. */
export class PaymentEventsQuery {
  /** `nextCursor` of the page before. */
  @PageCursor()
  cursor?: string;
}

/** The result for one of many submitted quotes. */
export class HandedOverAnswer {
  /** The submitted quote id; null if there was none. */
  @ApiProperty({ type: String, nullable: true })
  quoteId!: string | null;

  /** `known`: the payment was tracked already, and now has the order of the body. */
  @ApiProperty({ enum: ['created', 'known', 'refused'] })
  result!: string;

  /** Why the quote was refused, with `retryAfterSeconds` if a retry may help; null otherwise. */
  @ApiProperty({ nullable: true, allOf: [{ $ref: '#/components/schemas/Problem' }] })
  problem!: object | null;
}

/** The results of a submission, in the order of the quotes. */
export class HandOverAnswer {
  @ApiProperty({ type: [HandedOverAnswer] })
  data!: HandedOverAnswer[];
}
