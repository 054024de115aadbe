import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

import { A_DATE_TIME, isDateTime } from '../../platform/http/date-time.ts';
import { MustBe } from '../../platform/http/must-be.ts';
import type { ReplayState } from '../../ports/replays.ts';

const STATES: readonly ReplayState[] = ['running', 'done', 'stopped'];

/** From when on events are to be sent again. */
export class RecoverBody {
  /** Events of this instant and later that the endpoint has not acknowledged are sent again. */
  @ApiProperty({ format: 'date-time', example: '2026-11-20T12:00:00Z' })
  @MustBe(A_DATE_TIME, isDateTime)
  readonly since!: string;

  /** True: only counts them. */
  @ApiPropertyOptional({ default: false })
  @MustBe('true or false', (value) => value === undefined || typeof value === 'boolean')
  readonly dryRun?: boolean;
}

/** What a recovery will do, and where to see how far it is. */
export class RecoverAnswer {
  /** How many events are sent again. */
  @ApiProperty({ type: 'integer', example: 1250 })
  readonly count!: number;
  /** The recovery; null with `dryRun`. */
  @ApiProperty({ type: String, nullable: true })
  readonly id!: string | null;
  readonly endpointId!: string;
  @ApiProperty({ format: 'date-time' })
  readonly since!: string;
  /** Null with `dryRun`. */
  @ApiProperty({ enum: STATES, nullable: true })
  readonly state!: ReplayState | null;
  @ApiProperty({ type: 'integer', example: 0 })
  readonly done!: number;
  /** Null with `dryRun`. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly createdAt!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly finishedAt!: string | null;
}

/** A recovery and how far it is. */
export class ReplayView {
  readonly id!: string;
  readonly endpointId!: string;
  @ApiProperty({ format: 'date-time' })
  readonly since!: string;
  /** `stopped`: the endpoint was deleted or disabled before it was done. */
  @ApiProperty({ enum: STATES })
  readonly state!: ReplayState;
  /** How many events it found when it was asked for, or more if more of them were missed when it came to them. */
  @ApiProperty({ type: 'integer', example: 1250 })
  readonly count!: number;
  /** How many of them are on their way again; what was acknowledged meanwhile is none of them. */
  @ApiProperty({ type: 'integer', example: 500 })
  readonly done!: number;
  @ApiProperty({ format: 'date-time' })
  readonly createdAt!: string;
  /** Null while it is running. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly finishedAt!: string | null;
}

export class ReplayList {
  readonly data!: ReplayView[];
}
