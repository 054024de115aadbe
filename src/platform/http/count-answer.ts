import { ApiProperty } from '@nestjs/swagger';

/** How many entries a list has. */
export class CountAnswer {
  /** Exact up to 10,000. */
  @ApiProperty({ type: 'integer', minimum: 0, maximum: 10_000 })
  readonly count!: number;

  /** True: the number is a lower bound. */
  @ApiProperty()
  readonly isMore!: boolean;
}
