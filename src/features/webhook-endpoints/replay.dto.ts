import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

import { A_DATE_TIME, isDateTime } from '../../platform/http/date-time.ts';
import { MustBe } from '../../platform/http/must-be.ts';
import type { ReplayState } from '../../ports/replays.ts';

const STATES: readonly ReplayState[] = ['running', 'done', 'stopped'];

/** The request to send past events again. */
export class RecoverBody {
  /** Events from this instant on that the endpoint has not acknowledged are sent again. */
  @ApiProperty({ format: 'date-time', example: '2026-11-20T12:00:00Z' })
  @MustBe(A_DATE_TIME, isDateTime)
  readonly since!: string;

  /** True: only counts the events. */
  @ApiPropertyOptional({ default: false })
  @MustBe('true or false', (value) => value === undefined || typeof value === 'boolean')
  readonly dryRun?: boolean;
}

/** The recovery that was started, or the count of a dry run. */
export class RecoverAnswer {
  /** How many events the recovery sends again. */
  @ApiProperty({ type: 'integer', example: 1250 })
  readonly count!: number;
  /** False: there are more. */
  readonly exact!: boolean;
  /** The id of the recovery; null with `dryRun`. */
  @ApiProperty({ type: String, nullable: true })
  readonly id!: string | null;
  readonly endpointId!: string;
  @ApiProperty({ format: 'date-time' })
  readonly since!: Date;
  /** Null with `dryRun`. */
  @ApiProperty({ enum: STATES, nullable: true })
  readonly state!: ReplayState | null;
  @ApiProperty({ type: 'integer', example: 0 })
  readonly done!: number;
  /** Null with `dryRun`. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly createdAt!: Date | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly finishedAt!: Date | null;
}

/** A recovery with its progress. */
export class ReplayView {
  readonly id!: string;
  readonly endpointId!: string;
  @ApiProperty({ format: 'date-time' })
  readonly since!: Date;
  /** `stopped`: it was cancelled, or the endpoint was deleted or disabled before the end. */
  @ApiProperty({ enum: STATES })
  readonly state!: ReplayState;
  /** How many events the recovery found at its start; more if it found further unacknowledged events later. */
  @ApiProperty({ type: 'integer', example: 1250 })
  readonly count!: number;
  /** False: there are more events, which the recovery counts while it runs. */
  readonly exact!: boolean;
  /** How many events the recovery has queued again, without those that the endpoint acknowledged meanwhile. */
  @ApiProperty({ type: 'integer', example: 500 })
  readonly done!: number;
  @ApiProperty({ format: 'date-time' })
  readonly createdAt!: Date;
  /** Null while it is running. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly finishedAt!: Date | null;
}

export class ReplayList {
  readonly data!: ReplayView[];
}
