import { ApiProperty } from '@nestjs/swagger';

/** The result for one of many quotes that were handed over. */
export class HandedOverAnswer {
  /** As it was handed over; null where there was none. */
  @ApiProperty({ type: String, nullable: true })
  quoteId!: string | null;

  /** `known`: it was tracked already, and has the order of the body now. */
  @ApiProperty({ enum: ['created', 'known', 'refused'] })
  result!: string;

  /** Why it was refused, with `retryAfterSeconds` where a repetition may help; null otherwise. */
  @ApiProperty({ nullable: true, allOf: [{ $ref: '#/components/schemas/Problem' }] })
  problem!: object | null;
}

/** The results of a hand-over, in the order of the quotes. */
export class HandOverAnswer {
  @ApiProperty({ type: [HandedOverAnswer] })
  data!: HandedOverAnswer[];
}
