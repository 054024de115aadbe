import { ApiProperty } from '@nestjs/swagger';

import { URGENCY_NAMES } from '../../domain/polling/urgency.ts';
import { LatencyAnswer, PollCountsAnswer, ReplicaAnswer } from '../../platform/http/figure-shapes.ts';
import { IfGiven } from '../../platform/http/list-query.ts';
import { MustBe } from '../../platform/http/must-be.ts';
import { ASKED, REFUSAL_KINDS } from '../../ports/provider-view.ts';

/** Which provider. */
export class ProviderQuery {
  /** A name in PROVIDER or PROVIDER_LEAVE; left out: the preferred provider. */
  @ApiProperty({ required: false, example: 'relay' })
  @IfGiven()
  @MustBe("a provider's name, as in PROVIDER", (value) => typeof value === 'string')
  name?: string;
}

/** The shapes of the answers, only for the OpenAPI document. */

const INSTANT = { type: String, format: 'date-time' } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;
const A_LIMIT = { type: Number, nullable: true } as const;

/** The circuit that all replicas share. */
export class CircuitAnswer {
  /** `open`: the provider fails, and gets only probes; `credentials`: it does not accept our key, and gets only probes. */
  @ApiProperty({ enum: ['closed', 'open', 'credentials'] })
  readonly state!: string;
  /** Null: it never opened. */
  @ApiProperty({ ...INSTANT, nullable: true })
  readonly since!: string | null;
  /** The earliest time of the next probe; null while the circuit is closed. */
  @ApiProperty({ ...INSTANT, nullable: true })
  readonly nextProbeAt!: string | null;
}

/** The limits set by the settings and the provider; null: no limit. */
export class ProviderLimitsAnswer {
  /** Status requests of all replicas together. */
  @ApiProperty({ ...A_LIMIT, example: 600 })
  readonly requestsPerMinute!: number | null;
  @ApiProperty({ ...A_LIMIT })
  readonly quotesPerMinute!: number | null;
  /** Concurrent requests of each replica. */
  @ApiProperty({ type: 'integer', example: 64 })
  readonly maxConcurrency!: number;
  /** How many payments one request can cover. */
  @ApiProperty({ type: 'integer', example: 1 })
  readonly batchSize!: number;
  @ApiProperty({ type: 'integer', example: 5000 })
  readonly timeoutMs!: number;
  /** The interval of an open payment's polls while the budget suffices. */
  @ApiProperty({ type: 'integer', example: 7000 })
  readonly pollIntervalMs!: number;
  /** The shortest time between two polls of a payment. */
  @ApiProperty({ type: 'integer', example: 5000 })
  readonly minGapMs!: number;
}

/** The requests that may be sent to the provider now, by all replicas together. */
export class BudgetAnswer {
  /** Less than the limit after a 429 or 503; null: no limit. */
  @ApiProperty({ ...A_LIMIT, example: 582.4 })
  readonly requestsPerMinuteNow!: number | null;
  /** Requests that may be sent at once; null: no limit. */
  @ApiProperty({ type: 'integer', nullable: true, example: 12 })
  readonly available!: number | null;
  /** Status requests of the last complete minute. */
  @ApiProperty({ ...COUNT, example: 280 })
  readonly usedLastMinute!: number;
  /** No request is sent before this time, by the provider's Retry-After. */
  @ApiProperty({ ...INSTANT, nullable: true })
  readonly pausedUntil!: string | null;
  /** `asked`: the provider asked for fewer requests; null: the rate is the usual one. */
  @ApiProperty({ type: String, enum: ['asked'], nullable: true })
  readonly slowedBy!: string | null;
}

/** The open payments of one class of urgency. */
export class UrgencyClassAnswer {
  @ApiProperty({ enum: URGENCY_NAMES })
  readonly name!: string;
  @ApiProperty(COUNT)
  readonly payments!: number;
  /** Payments whose poll is due. */
  @ApiProperty(COUNT)
  readonly overdue!: number;
  /** The polls that the payments need at unscaled intervals. */
  @ApiProperty({ type: Number, example: 36 })
  readonly wantedPerMinute!: number;
  /** The polls of the payments in the last complete minute. */
  @ApiProperty(COUNT)
  readonly polledLastMinute!: number;
  /** The factor by which intervals are longer so that the budget suffices; 1: intervals have their usual length. */
  @ApiProperty({ type: Number, example: 1 })
  readonly scale!: number;
}

/** The results of polls in the last hour. */
export class LastHourAnswer {
  readonly polls!: PollCountsAnswer;
  /** Status requests. */
  readonly requests!: LatencyAnswer;
  /**
   * The time between the poll that found a new status and the one before it: the longest delay with which a change is seen.
   */
  readonly detectionGap!: LatencyAnswer;
}

/** A failed answer of the provider. */
export class RefusalAnswer {
  @ApiProperty(INSTANT)
  readonly at!: string;
  /** The process that asked. */
  @ApiProperty({ format: 'uuid' })
  readonly replicaId!: string;
  @ApiProperty({ enum: ASKED })
  readonly asked!: string;
  @ApiProperty({ enum: REFUSAL_KINDS })
  readonly kind!: string;
  @ApiProperty({ type: 'integer', nullable: true, example: 503 })
  readonly httpStatus!: number | null;
  /** The provider's message or ours, without keys and addresses. */
  @ApiProperty({ maxLength: 300 })
  readonly message!: string;
}

/** How far the provider's list of changes was read. */
export class ReconcileAnswer {
  @ApiProperty({ ...INSTANT, nullable: true })
  readonly reconciledTo!: string | null;
  @ApiProperty(INSTANT)
  readonly nextAt!: string;
}

/** A running process, and its own view of the provider. */
export class ProviderReplicaAnswer extends ReplicaAnswer {
  /** The replica's trouble with the provider; null: none. */
  @ApiProperty({ type: String, nullable: true })
  readonly detail!: string | null;
  @ApiProperty()
  readonly keyRefused!: boolean;
}

/** The state of the provider. */
export class ProviderAnswer {
  @ApiProperty(INSTANT)
  readonly checkedAt!: string;
  /** The name in PROVIDER. */
  @ApiProperty({ example: 'relay' })
  readonly name!: string;
  /** The host of the provider's address; null for the sandbox, and for an internal address. */
  @ApiProperty({ type: String, nullable: true, example: 'api.provider.example' })
  readonly host!: string | null;
  /** `degraded` as soon as one replica has trouble with the provider. */
  @ApiProperty({ enum: ['ok', 'degraded'] })
  readonly status!: string;
  @ApiProperty({ type: String, nullable: true })
  readonly detail!: string | null;
  /** True while the provider does not accept our key. */
  @ApiProperty()
  readonly keyRefused!: boolean;
  readonly circuit!: CircuitAnswer;
  readonly limits!: ProviderLimitsAnswer;
  readonly budget!: BudgetAnswer;
  /** The most urgent first. */
  @ApiProperty({ type: [UrgencyClassAnswer] })
  readonly classes!: UrgencyClassAnswer[];
  /** How long the payment that waits longest for its poll has been due; 0 when none is. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  readonly lagMs!: number;
  readonly lastHour!: LastHourAnswer;
  /** Requests for quotes of the last day that the provider has not answered, counted up to 10,000. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  readonly unansweredQuotes!: number;
  /** At most 20, the newest first. */
  @ApiProperty({ type: [RefusalAnswer] })
  readonly lastRefusals!: RefusalAnswer[];
  /** Absent for a provider without a list of changes. */
  @ApiProperty({ required: false })
  readonly reconcile?: ReconcileAnswer;
  /** The processes of the last hour; the last seen comes first. */
  @ApiProperty({ type: [ProviderReplicaAnswer] })
  readonly replicas!: ProviderReplicaAnswer[];
}

/** The state of every provider. */
export class ProvidersAnswer {
  /** The providers in the order of PROVIDER, then those of PROVIDER_LEAVE. */
  @ApiProperty({ type: [ProviderAnswer] })
  readonly data!: ProviderAnswer[];
}
