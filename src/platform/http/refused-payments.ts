import { ApiProperty } from '@nestjs/swagger';

export class RefusedPaymentAnswer {
  @ApiProperty()
  readonly quoteId!: string;
  @ApiProperty({ type: String, nullable: true })
  readonly orderId!: string | null;
}

/** The payments whose event a destination did not acknowledge and that are tried again. */
export class RefusedPaymentsAnswer {
  /** Counted with the bounds of pending deliveries. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  readonly payments!: number;
  /** When the first of these attempts was made; null: none was made. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly since!: Date | null;
  /** Up to five of these payments, those that have failed longest first. */
  @ApiProperty({ type: [RefusedPaymentAnswer] })
  readonly examples!: readonly RefusedPaymentAnswer[];
}

/**
 * The events that an endpoint was not sent because it was disabled when they were recorded, apart from those that a recovery
 * has queued.
 */
export class UnsentEventsAnswer {
  /** Counted as pending deliveries are. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  readonly count!: number;
  /** True: the number is a lower bound. */
  @ApiProperty()
  readonly isMore!: boolean;
  /** The time of the first unsent event: a recovery since then sends all of them. Null: there are none. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly since!: Date | null;
}
