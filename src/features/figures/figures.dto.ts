import { ApiProperty } from '@nestjs/swagger';

import { LatencyAnswer, PollCountsAnswer } from '../../platform/http/figure-shapes.ts';
import { IfGiven } from '../../platform/http/list-query.ts';
import { MustBe } from '../../platform/http/must-be.ts';
import { A_DESTINATION, isDestinationId } from '../../platform/http/named-destination.ts';
import { FilterTime } from '../../platform/http/list-filters.ts';

export const SHORTEST_STEP_S = 60;
export const LONGEST_STEP_S = 86_400;
/** The most points of one answer. */
export const MAX_POINTS = 1_500;

const COUNT = { type: 'integer', minimum: 0 } as const;
const COUNTS = { type: 'object', additionalProperties: COUNT } as const;
const INSTANT = { type: String, format: 'date-time' } as const;
const A_STEP = `whole minutes in seconds, from ${SHORTEST_STEP_S} to ${LONGEST_STEP_S}`;

function isWord(value: unknown): boolean {
  return typeof value === 'string';
}

function isStep(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{2,5}$/.test(value)) return false;
  const seconds = Number(value);
  return seconds >= SHORTEST_STEP_S && seconds <= LONGEST_STEP_S && seconds % SHORTEST_STEP_S === 0;
}

/** The range and the steps of the figures. */
export class FiguresQuery {
  /** The first instant, rounded down to a whole step of UTC; left out: an hour before `to`. Figures are kept for 14 days. */
  @FilterTime()
  from?: string;

  /** The end (exclusive), rounded up to a whole step of UTC; left out: now. */
  @FilterTime()
  to?: string;

  /** The length of a step: whole minutes, in seconds. A range has at most 1,500 steps. */
  @ApiProperty({
    type: 'integer',
    required: false,
    minimum: SHORTEST_STEP_S,
    maximum: LONGEST_STEP_S,
    multipleOf: SHORTEST_STEP_S,
    default: SHORTEST_STEP_S,
  })
  @IfGiven()
  @MustBe(A_STEP, isStep)
  step?: string;

  /** If set, `endpoints` has only this destination, with its points: a webhook endpoint by its id, or `rabbitmq`. */
  @ApiProperty({ required: false })
  @IfGiven()
  @MustBe(A_DESTINATION, isDestinationId)
  endpointId?: string;

  /** If set, `all` has only this provider's figures: its polls, requests and detection gaps. */
  @ApiProperty({ required: false, example: 'relay' })
  @IfGiven()
  @MustBe("a provider's name, as in PROVIDER", isWord)
  provider?: string;
}

/** The shapes of the answers, only for the OpenAPI document. */

/** Polls by the urgency of their payments. */
export class PollsByClassAnswer {
  /** Money is on its way. */
  @ApiProperty(COUNT)
  readonly in_flight!: number;
  /** New, or requested by a client. */
  @ApiProperty(COUNT)
  readonly attended!: number;
  @ApiProperty(COUNT)
  readonly unattended!: number;
  /** Expired or failed. */
  @ApiProperty(COUNT)
  readonly watching!: number;
}

/** The outcomes of deliveries. */
export class DeliveryCountsAnswer {
  @ApiProperty(COUNT)
  readonly delivered!: number;
  /** Deliveries whose last attempt failed. */
  @ApiProperty(COUNT)
  readonly givenUp!: number;
  /** Failed attempts by class; only classes that occurred. */
  @ApiProperty({ ...COUNTS, example: { timeout: 2, status: 1 } })
  readonly failed!: Record<string, number>;
}

/** The deliveries of one step. */
export class DeliveryPointAnswer {
  /** The beginning of the step. */
  @ApiProperty(INSTANT)
  readonly at!: string;
  readonly deliveries!: DeliveryCountsAnswer;
  /** The time from the recording of an event to its acknowledgement. */
  readonly latency!: LatencyAnswer;
  /** How long single attempts took, with any outcome. */
  readonly attempts!: LatencyAnswer;
}

/** One step; empty steps are left out. */
export class FigurePointAnswer extends DeliveryPointAnswer {
  readonly polls!: PollCountsAnswer;
  readonly pollsByClass!: PollsByClassAnswer;
  /** Recorded events by type; only types that occurred. */
  @ApiProperty({ ...COUNTS, example: { 'payment.created': 2, 'payment.completed': 1 } })
  readonly changes!: Record<string, number>;
  /** Status requests to the provider. */
  readonly requests!: LatencyAnswer;
  /** The time between the poll that found a new status and the one before it. */
  readonly detectionGap!: LatencyAnswer;
}

/** A destination over the whole range. */
export class EndpointFiguresAnswer {
  /** The id of the webhook endpoint, or `rabbitmq`. */
  @ApiProperty({ example: 'rabbitmq' })
  readonly endpointId!: string;
  @ApiProperty({ example: 'webhook' })
  readonly destination!: string;
  readonly deliveries!: DeliveryCountsAnswer;
  readonly latency!: LatencyAnswer;
  readonly attempts!: LatencyAnswer;
  /** The destination's steps, if it was requested by `endpointId`; otherwise empty. */
  @ApiProperty({ type: [DeliveryPointAnswer] })
  readonly points!: DeliveryPointAnswer[];
}

/** Figures of all replicas together. The running minute is missing until it is over. */
export class FiguresAnswer {
  @ApiProperty(INSTANT)
  readonly from!: string;
  @ApiProperty(INSTANT)
  readonly to!: string;
  /** In seconds. */
  @ApiProperty({ type: 'integer', example: 60 })
  readonly step!: number;
  /** All destinations and providers together, by steps. */
  @ApiProperty({ type: [FigurePointAnswer] })
  readonly all!: FigurePointAnswer[];
  /** Destinations with activity, those with the most failed attempts first. */
  @ApiProperty({ type: [EndpointFiguresAnswer] })
  readonly endpoints!: EndpointFiguresAnswer[];
}
