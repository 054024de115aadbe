import { ApiProperty } from '@nestjs/swagger';

import { EVENT_TYPES } from '../../domain/event/event.ts';
import {
  IfGiven,
  MustBeWords,
  PageCursor,
  PageLimit,
  PageSort,
  Repeatable,
} from '../../platform/http/list-query.ts';
import { MustBe } from '../../platform/http/must-be.ts';
import {
  A_DESTINATION,
  isDestinationId,
  NamedDestinationAnswer,
} from '../../platform/http/named-destination.ts';
import { DELIVERY_STATES, DELIVERY_WAITS, LISTED_DESTINATIONS } from '../../ports/delivery-log.ts';
import { FilterFlag, FilterOrderId, FilterQuoteId } from '../../platform/http/list-filters.ts';

const INSTANT = { type: String, format: 'date-time' } as const;

/** Which deliveries are counted: the filters of their list. */
export class DeliveryCountQuery {
  /** Only deliveries to this webhook endpoint, or to `rabbitmq`. */
  @ApiProperty({ required: false })
  @IfGiven()
  @MustBe(A_DESTINATION, isDestinationId)
  endpointId?: string;

  /** `existing` leaves out deleted endpoints; `all` includes deliveries to RabbitMQ's exchange. */
  @ApiProperty({ required: false, enum: LISTED_DESTINATIONS, default: 'webhook' })
  @IfGiven()
  @MustBeWords(LISTED_DESTINATIONS)
  destinations?: string;

  @FilterQuoteId()
  quoteId?: string;

  /** Only deliveries of the payments of this order. */
  @FilterOrderId()
  orderId?: string;

  /** Only deliveries in this state; a repeated parameter allows any of several. */
  @ApiProperty({ required: false, isArray: true, enum: DELIVERY_STATES, maxItems: DELIVERY_STATES.length })
  @IfGiven()
  @Repeatable()
  @MustBeWords(DELIVERY_STATES)
  state?: string | string[];

  /** Only deliveries of payments that a person has resolved; `false`: only of other payments, and of released ones. */
  @FilterFlag()
  resolved?: string;
}

/** Which deliveries are listed, in which order, and how many. */
export class DeliveriesQuery extends DeliveryCountQuery {
  /** The order by the time of recording: the newest first, or the oldest. */
  @PageSort()
  sort?: string;

  @PageLimit()
  limit?: string;

  /** `nextCursor` of the page before. */
  @PageCursor()
  cursor?: string;
}

/** The shapes of the answers, only for the OpenAPI document. */

/** The delivery of one event to one destination. */
export class DeliveryAnswer {
  @ApiProperty({ example: '1042' })
  id!: string;

  /** The id of the webhook endpoint, or `rabbitmq`. */
  @ApiProperty({ example: 'b9d2a0f4-6f0e-4f0b-9d83-0d7f1e1c7a51' })
  endpointId!: string;

  @ApiProperty({ type: NamedDestinationAnswer })
  destination!: NamedDestinationAnswer;

  quoteId!: string;

  @ApiProperty({ type: String, nullable: true })
  orderId!: string | null;

  /** The event's id: the `webhook-id` of every attempt, or the `messageId` of the message. */
  eventId!: string;

  @ApiProperty({ enum: EVENT_TYPES })
  type!: string;

  /** The event's number among those of its payment. */
  @ApiProperty({ type: 'integer' })
  sequence!: number;

  /** `failed`: the retry schedule is used up; `discarded`: the endpoint was deleted. */
  @ApiProperty({ enum: DELIVERY_STATES })
  state!: string;

  /** How many attempts were made. */
  @ApiProperty({ type: 'integer' })
  attemptCount!: number;

  @ApiProperty(INSTANT)
  createdAt!: string;

  @ApiProperty({ ...INSTANT, nullable: true })
  lastAttemptAt!: string | null;

  /**
   * The earliest time of the next attempt. Null: no attempt is scheduled, one is under way, or the delivery waits for an
   * earlier event.
   */
  @ApiProperty({ ...INSTANT, nullable: true })
  nextAttemptAt!: string | null;

  /** How the last attempt failed; null after a success, or without an attempt. */
  @ApiProperty({ type: String, nullable: true, example: 'timeout' })
  lastFailure!: string | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 500 })
  lastHttpStatus!: number | null;

  /** Why the delivery is not sent now; null: nothing holds it back, an attempt is under way, or it is not pending. */
  @ApiProperty({ type: String, enum: DELIVERY_WAITS, nullable: true })
  waitingFor!: string | null;
}

/** A page of deliveries, newest first. */
export class DeliveriesAnswer {
  @ApiProperty({ type: [DeliveryAnswer] })
  data!: DeliveryAnswer[];

  /** Null on the last page. */
  @ApiProperty({ type: String, nullable: true })
  nextCursor!: string | null;
}

/** One attempt of a delivery. */
export class AttemptAnswer {
  @ApiProperty({ type: 'integer' })
  number!: number;

  @ApiProperty(INSTANT)
  at!: string;

  @ApiProperty({ type: 'integer', example: 38 })
  durationMs!: number;

  /** The address and port of the connection; null without a connection. */
  @ApiProperty({ type: String, nullable: true, example: '93.184.215.14:443' })
  address!: string | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 500 })
  httpStatus!: number | null;

  /** Null when the receiver acknowledged the event. */
  @ApiProperty({ type: String, nullable: true, example: 'status' })
  failure!: string | null;

  /** The cause within the class of failure, a code of Node, OpenSSL or Paybell; null: none is known. */
  @ApiProperty({ type: String, nullable: true, example: 'CERT_HAS_EXPIRED' })
  code!: string | null;

  /** The remedy, in a sentence; null without a failure. */
  @ApiProperty({ type: String, nullable: true })
  advice!: string | null;

  /**
   * The first KiB of the answer's body as text, decompressed and in its charset, with U+FFFD for invalid bytes; for a binary
   * body its size; null without an answer.
   */
  @ApiProperty({ type: String, nullable: true })
  body!: string | null;
}

/** A delivery with its event and its attempts. */
export class DeliveryDetailAnswer extends DeliveryAnswer {
  /** The event as it is sent, verbatim. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  event!: object;

  /** The last 100 attempts, the newest last; for RabbitMQ the first 20 and the last one. */
  @ApiProperty({ type: [AttemptAnswer] })
  attempts!: AttemptAnswer[];
}
