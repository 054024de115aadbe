import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

import { RESOLUTION_REASONS, TRACKINGS } from '../../domain/payment/payment.ts';
import { STATUSES } from '../../domain/payment/status.ts';
import { AN_EVENT } from '../../platform/http/event-shapes.ts';

/** The shapes of the payments API's answers, only for the OpenAPI document. */

const VERBATIM = { type: 'object', additionalProperties: true, nullable: true } as const;
const INSTANT = { type: String, format: 'date-time' } as const;

/** In one piece: OpenAPI 3.0 has no reference that may be null. */
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

/** A payment. */
export class PaymentAnswer {
  quoteId!: string;

  /** The name of the provider that carries it, for ever. */
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

  /** `watching`: expired or failed, still polled. */
  @ApiProperty({ enum: TRACKINGS })
  tracking!: string;

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

  /** How a person has settled the payment otherwise; null while nobody has in its present status. */
  @ApiProperty(A_RESOLUTION)
  resolution!: object | null;

  /** The provider's quote, verbatim; null for a quote that was made elsewhere and handed over without it. */
  @ApiProperty(VERBATIM)
  quote!: object | null;

  /** The provider's last report, verbatim; null before the first. */
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

/** A payment's events in order, each a CloudEvent as every destination gets it. */
export class EventsAnswer {
  @ApiProperty({ type: 'array', items: AN_EVENT })
  data!: object[];

  /** The `cursor` of the next page; absent on the last one. */
  @ApiProperty({ type: String, required: false })
  nextCursor?: string;
}
