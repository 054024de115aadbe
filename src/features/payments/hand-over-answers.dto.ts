import { ApiProperty } from '@nestjs/swagger';

/** The result for one of many submitted quotes. */
export class HandedOverAnswer {
  /** As submitted; null if there was none. */
  @ApiProperty({ type: String, nullable: true })
  quoteId!: string | null;

  /** `known`: it was tracked already, and now has the order of the body. */
  @ApiProperty({ enum: ['created', 'known', 'refused'] })
  result!: string;

  /** Why it was refused, with `retryAfterSeconds` if a retry may help; null otherwise. */
  @ApiProperty({ nullable: true, allOf: [{ $ref: '#/components/schemas/Problem' }] })
  problem!: object | null;
}

/** The results of a submission, in the order of the quotes. */
export class HandOverAnswer {
  @ApiProperty({ type: [HandedOverAnswer] })
  data!: HandedOverAnswer[];
}
