import { ApiProperty } from '@nestjs/swagger';

import { SEVERITIES } from '../../domain/event/severity.ts';
import { ReplicaAnswer } from '../../platform/http/figure-shapes.ts';
import { NamedDestinationAnswer } from '../../platform/http/named-destination.ts';
import { RefusedPaymentAnswer } from '../../platform/http/refused-payments.ts';
import { CIRCUITS } from '../../ports/deliveries.ts';
import { CODES } from './attention-item.ts';

const INSTANT = { type: String, format: 'date-time' } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;
const TEXT = { type: String, nullable: true } as const;

/** The amount that payers sent in one token. */
export class TokenSumAnswer {
  @ApiProperty({ type: 'integer', nullable: true, example: 8453 })
  readonly chainId!: number | null;
  @ApiProperty({ ...TEXT, example: 'Base' })
  readonly chain!: string | null;
  @ApiProperty({ ...TEXT, example: 'USDC' })
  readonly symbol!: string | null;
  @ApiProperty({ ...TEXT })
  readonly address!: string | null;
  /** The exact sum in human-readable units, of the amounts that the quotes state. */
  @ApiProperty({ example: '1204.500000000000000001' })
  readonly amount!: string;
  @ApiProperty(COUNT)
  readonly payments!: number;
}

/** Payments, and the sums that their payers sent. */
export class PaymentSumsAnswer {
  /** Counted up to 10,000. */
  @ApiProperty(COUNT)
  readonly count!: number;
  /** True: the number is a lower bound. */
  @ApiProperty()
  readonly isMore!: boolean;
  /** Sums of the counted payments, at most 20, the most payments first. */
  @ApiProperty({ type: [TokenSumAnswer] })
  readonly sums!: readonly TokenSumAnswer[];
  /** How many tokens are not listed. */
  @ApiProperty(COUNT)
  readonly otherTokens!: number;
}

/** An endpoint that gets no events, or fails. */
export class TroubledEndpointAnswer {
  @ApiProperty({ format: 'uuid' })
  readonly id!: string;
  @ApiProperty()
  readonly url!: string;
  @ApiProperty(TEXT)
  readonly description!: string | null;
  @ApiProperty({ enum: CIRCUITS })
  readonly circuit!: string;
  /** Since when every attempt has failed; null: the last one succeeded. */
  @ApiProperty({ ...INSTANT, nullable: true })
  readonly failingSince!: Date | null;
  /** Null while it is enabled. */
  @ApiProperty(TEXT)
  readonly disabledReason!: string | null;
}

/** How many payments a destination was not told. */
export class UntoldAtAnswer {
  @ApiProperty({ type: NamedDestinationAnswer })
  readonly destination!: NamedDestinationAnswer;
  /** Counted up to 10,000. */
  @ApiProperty(COUNT)
  readonly count!: number;
  /** True: the number is a lower bound. */
  @ApiProperty()
  readonly isMore!: boolean;
  /** When the oldest event that the endpoint was not told was recorded. */
  @ApiProperty({ ...INSTANT, nullable: true })
  readonly since!: Date | null;
}

/** Something that needs a person. */
export class AttentionItemAnswer {
  @ApiProperty({ enum: CODES })
  readonly code!: string;
  /** `bad`: payments or events are stuck; `warn`: everything works, but a person should know. */
  @ApiProperty({ enum: SEVERITIES })
  readonly severity!: string;
  /** The number of payments or other things concerned, counted up to 10,000; 1 for a state. */
  @ApiProperty({ ...COUNT, minimum: 1 })
  readonly count!: number;
  /** True: the number is a lower bound. */
  @ApiProperty()
  readonly isMore!: boolean;
  /** The path of this API that lists what is counted, or has the one destination or provider. */
  @ApiProperty({ example: '/api/payments?stalled=true' })
  readonly href!: string;
  /** When the oldest counted trouble began; null: not known. */
  @ApiProperty({ ...INSTANT, nullable: true })
  readonly since!: Date | null;
  /** One sentence. */
  @ApiProperty({ example: '3 payments make no progress.' })
  readonly detail!: string;
  /** Only with the codes of endpoints: at most 20 endpoints; otherwise empty. */
  @ApiProperty({ type: [TroubledEndpointAnswer] })
  readonly endpoints!: readonly TroubledEndpointAnswer[];
  /**
   * The first three counted payments. Each payment is named in one item, by its first need; `undelivered` names those without
   * another need.
   */
  @ApiProperty({ type: [RefusedPaymentAnswer] })
  readonly examples!: readonly RefusedPaymentAnswer[];
  /** Only with the codes of endpoints: paid payments whose newest event no destination has acknowledged. */
  @ApiProperty({ required: false })
  readonly payments?: PaymentSumsAnswer;
  /** Only with `undelivered`: at most 20 destinations, those with the most payments first. */
  @ApiProperty({ required: false, type: [UntoldAtAnswer] })
  readonly destinations?: readonly UntoldAtAnswer[];
}

/** The steps from a new Paybell to a shop that is told: true once one is done. */
export class FirstStepsAnswer {
  /** There is a webhook endpoint, or RabbitMQ is on. */
  @ApiProperty()
  readonly hasDestination!: boolean;
  /** An endpoint has acknowledged a test. */
  @ApiProperty()
  readonly isTested!: boolean;
  /** A quote was submitted with `POST /api/payments`. */
  @ApiProperty()
  readonly isHandedOver!: boolean;
  /** A quote was requested or looked up here: the shop uses this base URL. */
  @ApiProperty()
  readonly isAsked!: boolean;
}

/** The proofs of payments that were created within the last day and reported as completed. */
export class ProofCountsAnswer {
  @ApiProperty(COUNT)
  readonly pending!: number;
  @ApiProperty(COUNT)
  readonly proven!: number;
  @ApiProperty(COUNT)
  readonly contradicted!: number;
  /** Payments that have completed by the word of the provider. */
  @ApiProperty(COUNT)
  readonly unverified!: number;
}

/** How many payments need a person. */
export class NeedyPaymentsAnswer {
  /** The number of payments, each once, counted up to 10,000. */
  @ApiProperty(COUNT)
  readonly count!: number;
  /** True: the number is a lower bound. */
  @ApiProperty()
  readonly isMore!: boolean;
}

/** The items that need a person; an empty list: none. */
export class AttentionAnswer {
  /**
   * When the reading of the items began. They are kept for five seconds, or for up to ten where the reading takes long, and for
   * longer while `database_failing` is an item. Where nothing was read yet, that item stands alone, and counts are lower bounds
   * of 0.
   */
  @ApiProperty(INSTANT)
  readonly checkedAt!: Date;
  /** The payments that need a person, each once, even if several items count them. */
  @ApiProperty({ type: NeedyPaymentsAnswer })
  readonly payments!: NeedyPaymentsAnswer;
  /** The worst first. */
  @ApiProperty({ type: [AttentionItemAnswer] })
  readonly items!: readonly AttentionItemAnswer[];
  /** Money in flight: payments in the statuses DEPOSIT_RECEIVED and EXECUTING that no person has resolved. */
  @ApiProperty({ type: PaymentSumsAnswer })
  readonly inFlight!: PaymentSumsAnswer;
  /** The chains' findings; absent while VERIFY is off. */
  @ApiProperty({ required: false, type: ProofCountsAnswer })
  readonly proofs?: ProofCountsAnswer;
  /** Absent once any destination was told of an event, or a payment has completed. */
  @ApiProperty({ required: false, type: FirstStepsAnswer })
  readonly firstSteps?: FirstStepsAnswer;
  /** The processes of the last hour; the last seen comes first. */
  @ApiProperty({ type: [ReplicaAnswer] })
  readonly replicas!: readonly ReplicaAnswer[];
}
