import { ApiProperty } from '@nestjs/swagger';

/** The shape of `/health/ready`, for the API's description only. */

/** How the database is. */
export class DatabaseCheck {
  @ApiProperty({ enum: ['ok', 'unavailable'] })
  readonly status!: string;
}

/** How something is that the API can do without; `off`: not configured, or not used by this process. */
export class PartCheck {
  @ApiProperty({ enum: ['ok', 'degraded', 'off'] })
  readonly status!: string;
  /** One line for an operator. */
  @ApiProperty({ required: false })
  readonly detail?: string;
}

/** How far behind the deliveries are. */
export class DeliveriesCheck extends PartCheck {
  /** How many are overdue, counted up to 10,000; null when it is not known. */
  @ApiProperty({ type: 'integer', nullable: true })
  readonly overdue!: number | null;
}

/** What was asked how it is. */
export class ReadinessParts {
  @ApiProperty()
  readonly database!: DatabaseCheck;
  @ApiProperty()
  readonly rabbitmq!: PartCheck;
  @ApiProperty()
  readonly provider!: PartCheck;
  @ApiProperty()
  readonly deliveries!: DeliveriesCheck;
  @ApiProperty()
  readonly secrets!: PartCheck;
}

/** The service can work; `degraded`: with something that needs a look. */
export class ReadinessAnswer {
  @ApiProperty({ enum: ['ok', 'degraded'] })
  readonly status!: string;
  @ApiProperty()
  readonly checks!: ReadinessParts;
}
