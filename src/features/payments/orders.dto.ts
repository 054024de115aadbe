import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

import { PaymentAnswer } from './payment-answers.dto.ts';

const SUM = { type: 'string', nullable: true } as const;

const TOKEN_SUM = {
  chainId: SUM,
  token: { ...SUM, description: 'Its address.' },
  symbol: SUM,
} as const;

/** Of the payments of an order. */
const SUMS = {
  type: 'object',
  selfRequired: true,
  description:
    'Of `payments` from their deposit on, for each token of each chain: exact decimals; null: none of them says it.',
  required: ['send', 'receive'],
  properties: {
    send: {
      type: 'array',
      items: {
        type: 'object',
        required: ['chainId', 'token', 'symbol', 'asked', 'came'],
        properties: { ...TOKEN_SUM, asked: SUM, came: SUM },
      },
    },
    receive: {
      type: 'array',
      items: {
        type: 'object',
        required: ['chainId', 'token', 'symbol', 'promised', 'arrived'],
        properties: { ...TOKEN_SUM, promised: SUM, arrived: SUM },
      },
    },
  },
} as const satisfies ApiPropertyOptions;

/** An order: its payments, and how they stand. */
export class OrderAnswer {
  orderId!: string;

  /** The newest first, 100 at most. */
  @ApiProperty({ type: [PaymentAnswer] })
  payments!: PaymentAnswer[];

  /** The `cursor` of `GET /api/payments?orderId=…`, which has those that follow; null: there are none. */
  @ApiProperty({ type: String, nullable: true })
  nextCursor!: string | null;

  /** Quote ids of `payments` that have not ended. */
  open!: string[];

  /** Quote ids of those that completed, without those that are resolved as a duplicate: more than one is paid twice. */
  completed!: string[];

  /** Quote ids of those that a person has resolved, whatever the reason. */
  resolved!: string[];

  @ApiProperty(SUMS)
  sums!: object;
}
