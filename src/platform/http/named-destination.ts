import { ApiProperty } from '@nestjs/swagger';
import { isUUID } from 'class-validator';

import { RABBITMQ } from '../../ports/destinations.ts';

export const A_DESTINATION = 'the id of a webhook endpoint (a UUID), or rabbitmq';

/** A webhook endpoint by its id, or a kind that has one target by its name. */
export function isDestinationId(value: unknown): boolean {
  return isUUID(value) || value === RABBITMQ;
}

/** A destination as answers name it. */
export class NamedDestinationAnswer {
  /** The id of a webhook endpoint, or `rabbitmq`; null: there was no receiver. */
  @ApiProperty({ type: String, nullable: true })
  readonly id!: string | null;
  /** `webhook`, `rabbitmq`, `deleted` (an endpoint that was removed) or `nobody` (there was no receiver). */
  @ApiProperty({ example: 'webhook' })
  readonly kind!: string;
  @ApiProperty({ example: 'RabbitMQ (exchange payments)' })
  readonly name!: string;
}
