import type { ApiPropertyOptions } from '@nestjs/swagger';

import { COMPLETED_BY } from '../../domain/payment/outcome.ts';

/**
 * The parts of a provider's report that the specification leaves open: the fields of Paybell's own providers, and any others.
 */

const WORD = { type: 'string', nullable: true } as const;
const SECONDS = { type: 'integer', nullable: true, description: 'Unix seconds.' } as const;
const CHAIN = { type: 'integer', nullable: true } as const;
const AMOUNT = {
  amount: { ...WORD, description: 'In units of the token, a decimal.' },
  amountRaw: { ...WORD, description: "In the token's smallest unit." },
  token: { ...WORD, description: 'The address of the token.' },
} as const;

function open<const Fields>(properties: Fields) {
  return { type: 'object', additionalProperties: true, properties } as const;
}

export const A_DEPOSIT = {
  ...open({
    txHash: WORD,
    from: { ...WORD, description: 'The address of the payer.' },
    ...AMOUNT,
    expectedAmount: WORD,
    expectedAmountRaw: WORD,
    match: { ...WORD, description: '`exact`, `underpaid` or `overpaid`; null: it cannot be said.' },
    memo: WORD,
    detectedAt: SECONDS,
  }),
  nullable: true,
  selfRequired: true,
} as const satisfies ApiPropertyOptions;

export const A_GAS = {
  ...open({ ...AMOUNT, symbol: WORD, usd: WORD, currency: WORD }),
  nullable: true,
  selfRequired: true,
} as const satisfies ApiPropertyOptions;

export const THE_STEPS = {
  type: 'array',
  items: open({ type: WORD, chainId: CHAIN, txHash: WORD, status: WORD, timestamp: SECONDS }),
} as const satisfies ApiPropertyOptions;

export const COMPLETION = { type: 'string', enum: [...COMPLETED_BY] } as const satisfies ApiPropertyOptions;

export const AN_OUTPUT = open(AMOUNT);

export const A_REFUND = open({
  state: WORD,
  ...AMOUNT,
  reason: WORD,
  refundedTo: { ...WORD, description: 'The address that got it.' },
  chainId: CHAIN,
  txHash: WORD,
  timestamp: SECONDS,
});
