import { ApiProperty } from '@nestjs/swagger';

import { ENDPOINT_STATES, type EndpointState } from '../../domain/delivery/endpoint-state.ts';
import { LatencyAnswer } from '../../platform/http/figure-shapes.ts';
import { RefusedPaymentsAnswer, UnsentEventsAnswer } from '../../platform/http/refused-payments.ts';
import { ENDPOINT_PROBLEMS, type EndpointProblem } from '../../ports/webhook-endpoints.ts';

const INSTANT = { type: String, format: 'date-time', nullable: true } as const;
const TEXT = { type: String, nullable: true } as const;

/** The last failed attempt, or the trouble of the connection. */
export class LastFailureAnswer {
  @ApiProperty({ type: String, format: 'date-time' })
  readonly at!: Date;
  /** A failure class, or for a connection `away` or `refuses`. */
  @ApiProperty({ example: 'status' })
  readonly failure!: string;
  /** The cause within the class; null: none is known. */
  @ApiProperty({ ...TEXT, example: 'CERT_HAS_EXPIRED' })
  readonly code!: string | null;
  /** The remedy, in a sentence. */
  @ApiProperty()
  readonly advice!: string;
  @ApiProperty({ type: 'integer', nullable: true, example: 500 })
  readonly httpStatus!: number | null;
  /** The first KiB of the answer, or the connection's message; null without either. */
  @ApiProperty({ ...TEXT, example: 'out of stock' })
  readonly text!: string | null;
  /** The delivery of the attempt; null: none. */
  @ApiProperty({ ...TEXT, example: '1042' })
  readonly deliveryId!: string | null;
}

/** A webhook endpoint, or RabbitMQ's exchange. */
export class DestinationAnswer {
  /** The endpoint's id, or `rabbitmq`. */
  @ApiProperty({ example: 'rabbitmq' })
  readonly id!: string;
  /** `webhook` or `rabbitmq`. */
  @ApiProperty({ example: 'rabbitmq' })
  readonly kind!: string;
  @ApiProperty({ example: 'RabbitMQ (exchange payments)' })
  readonly name!: string;
  /** Null for RabbitMQ. */
  @ApiProperty(TEXT)
  readonly url!: string | null;
  /**
   * `refusing`: it takes some payments and refuses others; `failing`: a payment whose first attempt came after the last
   * success fails too; `open`: it gets only probes, or the broker is away; `recovering`: it answers again, and gets its
   * backlog little by little.
   */
  @ApiProperty({ enum: ENDPOINT_STATES })
  readonly state!: EndpointState;
  /** Since when it fails or refuses; null in the other states. */
  @ApiProperty(INSTANT)
  readonly since!: Date | null;
  /** Null while it is enabled. */
  @ApiProperty(TEXT)
  readonly disabledReason!: string | null;
  /** `secret_unreadable`: the process that answers cannot sign for it. */
  @ApiProperty({ type: String, enum: ENDPOINT_PROBLEMS, nullable: true })
  readonly problem!: EndpointProblem | null;
  /** Null while the circuit is not open. */
  @ApiProperty(INSTANT)
  readonly nextProbeAt!: Date | null;
  /** How many events wait, counted like `pending` in the list of webhook endpoints. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  readonly waiting!: number;
  /** True: the number is a lower bound. */
  @ApiProperty()
  readonly isMore!: boolean;
  /** When the oldest pending event was recorded. */
  @ApiProperty(INSTANT)
  readonly waitingSince!: Date | null;
  /** The events that were recorded while an endpoint was disabled; of another destination none. */
  readonly unsent!: UnsentEventsAnswer;
  /** The payments of which the destination did not acknowledge an event, and that are tried again. */
  readonly refused!: RefusedPaymentsAnswer;
  /** Null: never. */
  @ApiProperty(INSTANT)
  readonly lastDeliveredAt!: Date | null;
  /** The last failure of deliveries that wait or were given up; null: no delivery failed. */
  @ApiProperty({ type: LastFailureAnswer, nullable: true })
  readonly lastFailure!: LastFailureAnswer | null;
  /** The time from the recording of an event to its acknowledgement, in the last hour. */
  readonly latency!: LatencyAnswer;
}

/** All destinations: RabbitMQ first, if it is enabled, then the webhook endpoints. */
export class DestinationsAnswer {
  @ApiProperty({ type: [DestinationAnswer] })
  readonly data!: DestinationAnswer[];
}
