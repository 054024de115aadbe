import { ApiProperty } from '@nestjs/swagger';

/** The shapes of `/health/live` and `/health/ready`, only for the OpenAPI document. */

/** The process runs. */
export class LivenessAnswer {
  @ApiProperty({ enum: ['ok'] })
  readonly status!: string;
}

/** The health of the database. */
export class DatabaseCheck {
  /**
   * `degraded`: the database answers, but within the last 30 s it refused a request for lack of connections, disk or memory.
   */
  @ApiProperty({ enum: ['ok', 'degraded', 'unavailable'] })
  readonly status!: string;
  /** Which check fails: the start, any answer, the schema of this release, or the commit of a small write. */
  @ApiProperty({ required: false, enum: ['start', 'answer', 'schema', 'write'] })
  readonly failed?: string;
  /** One line for an operator; for a day after a restore or a failover set the database back, it says so. */
  @ApiProperty({ required: false })
  readonly detail?: string;
}

/** The health of a part without which the API still works; `off`: not configured, or not used by this process. */
export class PartCheck {
  @ApiProperty({ enum: ['ok', 'degraded', 'off'] })
  readonly status!: string;
  /** One line for an operator. */
  @ApiProperty({ required: false })
  readonly detail?: string;
}

/** The health of one provider of several. */
export class NamedPartCheck extends PartCheck {
  @ApiProperty({ example: 'relay' })
  readonly name!: string;
}

/** The health of the providers: that of the worst. */
export class ProviderCheck extends PartCheck {
  /** The health of each provider, in the order of PROVIDER; absent where there is only one. */
  @ApiProperty({ required: false, type: [NamedPartCheck] })
  readonly providers?: NamedPartCheck[];
}

/** The health of the deliveries. */
export class DeliveriesCheck extends PartCheck {
  /** How many are overdue, counted up to 10,000; null when the number is not known. */
  @ApiProperty({ type: 'integer', nullable: true })
  readonly overdue!: number | null;
}

/** A process that runs. */
export class RunningReplica {
  @ApiProperty({ format: 'uuid' })
  readonly id!: string;
  @ApiProperty({ type: [String], example: ['api', 'tracker', 'dispatcher'] })
  readonly roles!: string[];
  @ApiProperty({ example: '1.0.0' })
  readonly release!: string;
}

/** The processes on this database; `degraded` while their settings differ. */
export class ReplicasCheck extends PartCheck {
  @ApiProperty({ type: [RunningReplica] })
  readonly running!: RunningReplica[];
}

/** The checks of all parts; describeConnections adds those of destinations' connections. */
export class ReadinessParts {
  @ApiProperty()
  readonly database!: DatabaseCheck;
  @ApiProperty()
  readonly provider!: ProviderCheck;
  @ApiProperty()
  readonly deliveries!: DeliveriesCheck;
  @ApiProperty()
  readonly secrets!: PartCheck;
  /** The event log: `degraded` while a transaction has kept new events out of it for more than 30 s. */
  @ApiProperty()
  readonly log!: PartCheck;
  @ApiProperty()
  readonly clock!: PartCheck;
  @ApiProperty()
  readonly replicas!: ReplicasCheck;
}

/** Adds a check of each connection to the OpenAPI document. */
export function describeConnections(names: readonly string[]): void {
  for (const name of names) ApiProperty({ type: PartCheck })(ReadinessParts.prototype, name);
}

/** The service works; `degraded`: an operator should check a part. */
export class ReadinessAnswer {
  @ApiProperty({ enum: ['ok', 'degraded'] })
  readonly status!: string;
  @ApiProperty()
  readonly checks!: ReadinessParts;
}
