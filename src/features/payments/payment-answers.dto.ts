import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

import { MATCHES } from '../../domain/payment/amounts.ts';
import { RESOLUTION_REASONS, STALL_REASONS, TRACKINGS } from '../../domain/payment/payment.ts';
import { COMPLETED_BY } from '../../domain/payment/outcome.ts';
import { STATUSES } from '../../domain/payment/status.ts';
import { OUTPUT_CHECKS, VERIFICATION_STATES } from '../../domain/proof/verification.ts';
import { AN_EVENT } from '../../platform/http/event-shapes.ts';

/** The shapes of the payments API's answers, only for the OpenAPI document. */

const VERBATIM = { type: 'object', additionalProperties: true, nullable: true } as const;
const INSTANT = { type: String, format: 'date-time' } as const;

/** Defined inline: OpenAPI 3.0 has no reference that may be null. */
const A_RESOLUTION = {
  type: 'object',
  nullable: true,
  selfRequired: true,
  required: ['reason', 'note', 'by', 'at'],
  properties: {
    reason: { type: 'string', enum: [...RESOLUTION_REASONS] },
    note: { type: 'string', nullable: true },
    by: { type: 'string', description: 'The name of the API key.' },
    at: { type: 'string', format: 'date-time' },
  },
} as const satisfies ApiPropertyOptions;

const AN_OUTPUT = {
  type: 'object',
  nullable: true,
  selfRequired: true,
  required: ['by', 'transactions', 'amount', 'token'],
  properties: {
    by: {
      type: 'string',
      enum: [...COMPLETED_BY],
      description:
        'A transaction to the recipient, an amount that arrived, or the word of the provider alone.',
    },
    transactions: { type: 'array', items: { type: 'string' } },
    amount: { type: 'string', nullable: true, description: 'In units of the token, a decimal.' },
    token: { type: 'string', nullable: true, description: 'The address of the token.' },
  },
} as const satisfies ApiPropertyOptions;

const SUM = { type: 'string', nullable: true } as const;
const NUMBER = { type: 'integer', nullable: true } as const;
const TEXTS = { type: 'array', items: { type: 'string' } } as const;

const AMOUNTS = {
  type: 'object',
  nullable: true,
  selfRequired: true,
  required: ['send', 'receive', 'match'],
  properties: {
    send: {
      type: 'object',
      required: ['asked', 'came', 'token'],
      properties: { asked: SUM, came: SUM, token: SUM },
    },
    receive: {
      type: 'object',
      required: ['promised', 'arrived', 'token'],
      properties: { promised: SUM, arrived: SUM, token: SUM },
    },
    match: { type: 'string', enum: [...MATCHES] },
  },
} as const satisfies ApiPropertyOptions;

const A_VERIFICATION = {
  type: 'object',
  nullable: true,
  selfRequired: true,
  required: ['state', 'chainId', 'txHash', 'logIndex', 'block', 'confirmations', 'checks', 'sources'],
  properties: {
    state: { type: 'string', enum: [...VERIFICATION_STATES] },
    chainId: NUMBER,
    txHash: { type: 'string', nullable: true },
    logIndex: { ...NUMBER, description: 'Of a log, or of an output. Null: another native coin, or nothing.' },
    block: NUMBER,
    confirmations: NUMBER,
    checks: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'passed', 'detail'],
        properties: {
          name: { type: 'string', enum: [...OUTPUT_CHECKS] },
          passed: { type: 'boolean', nullable: true, description: 'Null: it could not be checked.' },
          detail: { type: 'string', description: 'One sentence for a person.' },
        },
      },
    },
    sources: { ...TEXTS, description: 'The hosts of the RPCs that answered alike.' },
  },
} as const satisfies ApiPropertyOptions;

/** A payment. */
export class PaymentAnswer {
  quoteId!: string;

  /** The name of the provider that carries the payment; it never changes. */
  @ApiProperty({ example: 'relay' })
  provider!: string;

  @ApiProperty({ type: String, nullable: true })
  orderId!: string | null;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, nullable: true })
  metadata!: object | null;

  @ApiProperty({ enum: STATUSES })
  status!: string;

  /** True once the status has changed after the payment had expired or failed. */
  late!: boolean;

  /** The number of the newest event. */
  @ApiProperty({ type: 'integer' })
  sequence!: number;

  /** `watching`: the payment has ended but is still polled: expired, failed, or completed within a day. */
  @ApiProperty({ enum: TRACKINGS })
  tracking!: string;

  /** Why the payment stands still: each reason is reported by a `payment.stalled`, and leaves the list when it ends. */
  @ApiProperty({ enum: STALL_REASONS, isArray: true })
  stalls!: string[];

  @ApiProperty(INSTANT)
  createdAt!: string;

  @ApiProperty({ ...INSTANT, nullable: true })
  expiresAt!: string | null;

  @ApiProperty(INSTANT)
  updatedAt!: string;

  @ApiProperty({ ...INSTANT, nullable: true })
  lastPolledAt!: string | null;

  @ApiProperty({ ...INSTANT, nullable: true })
  nextPollAt!: string | null;

  /** A person's settlement of the payment by hand; null if there is none for its present status. */
  @ApiProperty(A_RESOLUTION)
  resolution!: object | null;

  /**
   * The chain's finding about the output, once the provider has reported the completion; null before, and while VERIFY is
   * off. `unverified`: there is only the provider's word.
   */
  @ApiProperty(A_VERIFICATION)
  verification!: object | null;

  /**
   * The sums, as decimal strings in units of the tokens (null for a sum that neither quote nor report states), and how the
   * deposit compares with the requested sum within AMOUNT_TOLERANCE_BPS; null before the deposit.
   */
  @ApiProperty(AMOUNTS)
  amounts!: object | null;

  /** The output of a completed payment, from its report; null before. */
  @ApiProperty(AN_OUTPUT)
  output!: object | null;

  /** The provider's quote, verbatim; null for a quote that was made elsewhere and submitted without its object. */
  @ApiProperty(VERBATIM)
  quote!: object | null;

  /**
   * The provider's last report, verbatim; null before the first. While a completion waits for its proof (VERIFY=require), the
   * report has the payment's status.
   */
  @ApiProperty(VERBATIM)
  report!: object | null;
}

/** A page of payments, newest first. */
export class PaymentsAnswer {
  @ApiProperty({ type: [PaymentAnswer] })
  data!: PaymentAnswer[];

  /** Null on the last page. */
  @ApiProperty({ type: String, nullable: true })
  nextCursor!: string | null;
}

/** A payment's events in order, each the CloudEvent that every destination gets. */
export class EventsAnswer {
  @ApiProperty({ type: 'array', items: AN_EVENT })
  data!: object[];

  /** The `cursor` of the next page; absent on the last one. */
  @ApiProperty({ type: String, required: false })
  nextCursor?: string;
}
