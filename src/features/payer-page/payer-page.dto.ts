import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';

import { MATCHES, type Match } from '../../domain/payment/amounts.ts';
import { STATUSES, type Status } from '../../domain/payment/status.ts';
import { MustBe } from '../../platform/http/must-be.ts';

const MIN_EXPIRES_IN = 60;
export const MAX_EXPIRES_IN = 30 * 86_400;
export const DEFAULT_AFTER_QUOTE_SECONDS = 86_400;

/** How long a payer's link lasts. */
export class LinkBody {
  /** For how many seconds the link is valid; by default until a day after the quote expires. */
  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: MIN_EXPIRES_IN,
    maximum: MAX_EXPIRES_IN,
  })
  @IsOptional()
  @MustBe(`a whole number of seconds from ${MIN_EXPIRES_IN} to ${MAX_EXPIRES_IN}`, isExpiresIn)
  expiresIn?: number | null;
}

/** A payer's link. */
export class LinkAnswer {
  /** The link gives access to every person who has it. */
  @ApiProperty({ format: 'uri', example: 'https://pay.example/public/payments/pbl_v1.Q2F4' })
  readonly url!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly expiresAt!: Date;
}

/** The token to send. */
export class PayerTokenAnswer {
  @ApiProperty({ type: String, nullable: true, example: 'USDC' })
  readonly symbol!: string | null;

  /** The address of the token's contract; the zero address is the native coin. */
  @ApiProperty({ type: String, nullable: true })
  readonly address!: string | null;
}

/** The chain on which to send the money. */
export class PayerChainAnswer {
  @ApiProperty({ type: 'integer', nullable: true, example: 8453 })
  readonly id!: number | null;

  @ApiProperty({ type: String, nullable: true, example: 'Base' })
  readonly name!: string | null;
}

/** The facts that a payer is shown. */
export class PayerAnswer {
  /** Where to send the money. */
  @ApiProperty({ type: String, nullable: true })
  readonly address!: string | null;

  /** The memo that must be sent with the money, which is lost otherwise. Null: the address needs none. */
  @ApiProperty({ type: String, nullable: true })
  readonly memo!: string | null;

  /** The exact sum to send, a decimal; null: the quote object is not known. */
  @ApiProperty({ type: String, nullable: true, example: '25.42' })
  readonly amount!: string | null;

  @ApiProperty()
  readonly token!: PayerTokenAnswer;

  @ApiProperty()
  readonly chain!: PayerChainAnswer;

  /** When the quote expires; a deposit after it may be lost. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly expiresAt!: Date | null;

  @ApiProperty({ enum: STATUSES })
  readonly status!: Status;

  /** Whether the received sum is the requested one; null: no money came yet. */
  @ApiProperty({ enum: MATCHES, type: String, nullable: true })
  readonly match!: Match | null;
}

function isExpiresIn(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= MIN_EXPIRES_IN && Number(value) <= MAX_EXPIRES_IN;
}
