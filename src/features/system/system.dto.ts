import { ApiProperty } from '@nestjs/swagger';

/** The shapes of the answer, for the OpenAPI document. */

const DAYS = { type: 'integer', minimum: 1 } as const;

export class SystemDatabaseAnswer {
  /** The version of the PostgreSQL server. */
  @ApiProperty({ example: '15.20' })
  readonly version!: string;
  /** The last migration of the database's tables; null: none. */
  @ApiProperty({ type: String, nullable: true, example: 'InitialSchema' })
  readonly migration!: string | null;
  /** The newest release that has brought the schema up. */
  @ApiProperty({ example: '1.0.0' })
  readonly schemaRelease!: string;
  /** False: the schema has other migrations than this release makes, as while another release runs beside it. */
  readonly isOwnSchema!: boolean;
}

export class SystemRetentionAnswer {
  /** Payments with their events and deliveries, after they closed: `RETENTION_DAYS`. */
  @ApiProperty({ ...DAYS, example: 90 })
  readonly paymentsDays!: number;
  /** The audit log: `AUDIT_RETENTION_DAYS`. */
  @ApiProperty({ ...DAYS, example: 365 })
  readonly auditDays!: number;
  @ApiProperty({ ...DAYS, example: 14 })
  readonly figuresDays!: number;
}

export class SystemAnswer {
  /** The release of the replica that answers. */
  @ApiProperty({ example: '1.0.0' })
  readonly release!: string;
  @ApiProperty({ format: 'uuid' })
  readonly replicaId!: string;
  @ApiProperty({ example: ['api', 'tracker', 'dispatcher'] })
  readonly roles!: string[];
  /** The version of Node.js. */
  @ApiProperty({ example: '20.20.2' })
  readonly node!: string;
  @ApiProperty({ type: SystemDatabaseAnswer })
  readonly database!: SystemDatabaseAnswer;
  @ApiProperty({ type: SystemRetentionAnswer })
  readonly retention!: SystemRetentionAnswer;
}
