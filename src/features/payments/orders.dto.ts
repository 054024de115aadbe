import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

import { PaymentAnswer } from './payment-answers.dto.ts';

const SUM = { type: 'string', nullable: true } as const;

const TOKEN_SUM = {
  chainId: SUM,
  token: { ...SUM, description: 'Its address.' },
  symbol: SUM,
} as const;

/** Sums over an order's payments. */
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

/** An order and the state of its payments. */
export class OrderAnswer {
  orderId!: string;

  /** The newest first, at most 100. */
  @ApiProperty({ type: [PaymentAnswer] })
  payments!: PaymentAnswer[];

  /** The `cursor` for `GET /api/payments?orderId=…`, which lists the payments that follow; null: there are none. */
  @ApiProperty({ type: String, nullable: true })
  nextCursor!: string | null;

  /** Quote ids of `payments` that have not ended. */
  open!: string[];

  /**
   * Quote ids of completed payments, without those resolved as a duplicate: if there are several, the order is paid twice.
   */
  completed!: string[];

  /** Quote ids of payments that a person has resolved, for whatever reason. */
  resolved!: string[];

  @ApiProperty(SUMS)
  sums!: object;
}
