import { ApiProperty } from '@nestjs/swagger';

import { isQuoteId, spellingsOf } from '../../domain/payment/reading.ts';
import { MAX_LIMIT, Repeatable } from '../../platform/http/list-query.ts';
import { NamedDestinationAnswer } from '../../platform/http/named-destination.ts';
import { MustBe } from '../../platform/http/must-be.ts';
import { DeliveryAnswer } from './deliveries.dto.ts';

const INSTANT = { type: String, format: 'date-time', nullable: true } as const;
const QUOTE_IDS = `the ids of 1 to ${MAX_LIMIT} quotes: the parameter is repeated`;

function areQuoteIds(value: unknown): boolean {
  const given: unknown[] = Array.isArray(value) ? value : [value];
  return given.length <= MAX_LIMIT && given.every(isQuoteId);
}

/** The payments of the query. */
export class ProgressQuery {
  @ApiProperty({ isArray: true, type: String, maxItems: MAX_LIMIT })
  @Repeatable()
  @MustBe(QUOTE_IDS, areQuoteIds)
  quoteId!: string | string[];
}

/** The distinct ids of a validated query, in each spelling: a UUID in another letter case is the same id. */
export function quoteIdsOf({ quoteId }: ProgressQuery): string[] {
  return [...new Set([quoteId].flat().flatMap(spellingsOf))];
}

/** The shapes of the answer, only for the OpenAPI document. */

/** The events of a payment that a destination was not told. */
export class UntoldEventsAnswer {
  @ApiProperty({ type: NamedDestinationAnswer })
  destination!: NamedDestinationAnswer;

  /** How many events the destination was not told. */
  @ApiProperty({ type: 'integer', minimum: 1 })
  events!: number;

  /** The number of the first untold event. */
  @ApiProperty({ type: 'integer', minimum: 1 })
  sequence!: number;

  /** The time of the first untold event: a recovery since then sends all untold events. */
  @ApiProperty({ type: String, format: 'date-time' })
  since!: string;
}

/** The facts about a payment's progress that are not in its status. */
export class ProgressAnswer {
  quoteId!: string;

  @ApiProperty(INSTANT)
  lastPolledAt!: string | null;

  /** The time of the next poll; null when the payment is no longer polled. */
  @ApiProperty(INSTANT)
  nextPollAt!: string | null;

  /**
   * One delivery for each present endpoint that gets the payment's events: the first one that is not acknowledged, or else the
   * last one.
   */
  @ApiProperty({ type: [DeliveryAnswer] })
  deliveries!: DeliveryAnswer[];

  /**
   * The same delivery for the RabbitMQ exchange; null without RabbitMQ, or before the exchange got an event of the payment.
   */
  @ApiProperty({ type: DeliveryAnswer, nullable: true })
  exchange!: DeliveryAnswer | null;

  /**
   * The destinations that have not acknowledged an event older than 30 s, for whatever reason; none for a payment that a
   * person resolved, unless by a release.
   */
  @ApiProperty({ type: [UntoldEventsAnswer] })
  untold!: UntoldEventsAnswer[];
}

/** The progress of payments in the order of the ids; leaves out ids without a payment. */
export class ProgressesAnswer {
  @ApiProperty({ type: [ProgressAnswer] })
  data!: ProgressAnswer[];
}
