import { ApiProperty } from '@nestjs/swagger';

/** The shapes that figures and the provider's state share. */

const COUNT = { type: 'integer', minimum: 0 } as const;
const MS = { type: 'integer', minimum: 0, nullable: true } as const;

/** Durations in milliseconds that 50, 95 and 99 % did not exceed. Null without any duration. */
export class LatencyAnswer {
  @ApiProperty({ ...COUNT, example: 512 })
  readonly count!: number;
  @ApiProperty({ ...MS, example: 41 })
  readonly p50!: number | null;
  @ApiProperty({ ...MS, example: 180 })
  readonly p95!: number | null;
  @ApiProperty({ ...MS, example: 900 })
  readonly p99!: number | null;
}

/** Polls of payments by their outcome. */
export class PollCountsAnswer {
  /** A usable report that made no event. */
  @ApiProperty(COUNT)
  readonly unchanged!: number;
  /** A report that made events. */
  @ApiProperty(COUNT)
  readonly changed!: number;
  /** The provider's 400, 404 or 422. */
  @ApiProperty(COUNT)
  readonly refused!: number;
  /** A report about another quote. */
  @ApiProperty(COUNT)
  readonly foreign!: number;
  /** The provider's 429. */
  @ApiProperty(COUNT)
  readonly throttled!: number;
  /** The provider's 401 or 403. */
  @ApiProperty(COUNT)
  readonly credentials!: number;
  /** A time-out, a 5xx, or an unreadable answer. */
  @ApiProperty(COUNT)
  readonly unavailable!: number;
}

/** A running process. */
export class ReplicaAnswer {
  @ApiProperty({ format: 'uuid' })
  readonly id!: string;
  @ApiProperty({ type: [String], example: ['api', 'tracker', 'dispatcher'] })
  readonly roles!: readonly string[];
  @ApiProperty({ example: '1.0.0' })
  readonly release!: string;
  @ApiProperty({ type: String, format: 'date-time' })
  readonly startedAt!: Date;
  @ApiProperty({ type: String, format: 'date-time' })
  readonly seenAt!: Date;
  /** False: the process has not been seen for half a minute, and did not say that it stops. */
  @ApiProperty()
  readonly isAlive!: boolean;
}
