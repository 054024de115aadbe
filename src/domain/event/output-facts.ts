import { MATCHES } from '../payment/amounts.ts';
import { COMPLETED_BY } from '../payment/outcome.ts';
import { OUTPUT_CHECKS, VERIFICATION_STATES } from '../proof/verification.ts';

const CHECK = {
  type: 'object',
  properties: {
    name: { enum: OUTPUT_CHECKS, description: 'The name of the check.' },
    passed: { type: ['boolean', 'null'], description: 'Null: the check could not be made.' },
    detail: { type: 'string', description: 'One sentence for a person.' },
  },
  required: ['name', 'passed', 'detail'],
} as const;

/** The chain's finding about the output; present only with VERIFY. */
export const VERIFICATION = {
  type: 'object',
  optional: true,
  description: "Only with VERIFY: the chain's finding about the output.",
  properties: {
    state: {
      enum: VERIFICATION_STATES,
      description:
        'By the chain: proven or contradicted. unverified: the word of the provider is all there is.',
    },
    chainId: { type: ['integer', 'null'], description: 'The chain of the output.' },
    txHash: { type: ['string', 'null'], description: 'The transaction of the output.' },
    logIndex: {
      type: ['integer', 'null'],
      description: "The index of the transfer's log; null: the native coin, or no transfer was found.",
    },
    block: { type: ['integer', 'null'], description: 'The number of the block.' },
    confirmations: {
      type: ['integer', 'null'],
      description: 'The number of later blocks when the chain was read.',
    },
    checks: { type: 'array', items: CHECK, description: 'The checks in order.' },
    sources: {
      type: 'array',
      items: { type: 'string' },
      description: 'The hosts of the RPCs that answered; the second one of a host is host#2.',
    },
    usedBy: {
      type: 'string',
      description: 'Only with output_used_before: the quote id of the payment that the transfer proves.',
    },
  },
  required: ['state', 'chainId', 'txHash', 'logIndex', 'block', 'confirmations', 'checks', 'sources'],
} as const;

/** Present in the event of a completion. */
export const OUTPUT = {
  type: 'object',
  description: 'The output, by the report.',
  properties: {
    by: {
      enum: COMPLETED_BY,
      description:
        'The ground of the completion: a transaction to the recipient, an amount that arrived, or only the word of the provider.',
    },
    transactions: {
      type: 'array',
      items: { type: 'string' },
      description: 'The hashes of the transactions to the recipient, as far as the report has them.',
    },
    amount: {
      type: ['string', 'null'],
      description: 'The amount in units of the token, a decimal; null: the report has none.',
    },
    token: { type: ['string', 'null'], description: 'The address of the token; null: the report has none.' },
  },
  required: ['by', 'transactions', 'amount', 'token'],
} as const;

/** Only in an anomaly `deposit_unseen_by_provider`. */
export const UNSEEN_DEPOSIT = {
  type: 'object',
  optional: true,
  description: 'Only with deposit_unseen_by_provider: the deposit on the chain.',
  properties: {
    chainId: { type: 'integer', description: 'The chain on which the payer sends.' },
    txHash: {
      type: ['string', 'null'],
      description:
        'The transaction; null: a contract sent the native coin, and its block does not tell in which one.',
    },
    token: {
      type: ['string', 'null'],
      description: 'The address of the token that came; null: the native coin of the chain.',
    },
    wrongToken: { type: 'boolean', description: 'True: the quote asks for another token.' },
    amount: {
      type: ['string', 'null'],
      description:
        'The amount in units of the token that came, a decimal; null: the decimals of the token are not known.',
    },
    amountRaw: { type: 'string', description: 'The amount in the smallest unit of the token.' },
    sum: {
      type: ['string', 'null'],
      description:
        'The sum of all such deposits that have come until then, in the token that the quote asks for; in the form of `amount`.',
    },
    sumRaw: { type: 'string', description: 'The amount in the smallest unit of the token.' },
    block: { type: 'integer', description: 'The number of the block.' },
  },
  required: ['chainId', 'txHash', 'token', 'wrongToken', 'amount', 'amountRaw', 'sum', 'sumRaw', 'block'],
} as const;

/** In units of the token. */
function sum(description: string) {
  return { type: ['string', 'null'], description } as const;
}

/** Present in every event from the deposit on. */
export const AMOUNTS = {
  type: 'object',
  optional: true,
  description:
    'From the deposit on: the sums, decimal strings in units of the token; null: neither quote nor report says it.',
  properties: {
    send: {
      type: 'object',
      description: 'The deposit.',
      properties: {
        asked: sum('The requested amount.'),
        came: sum('The amount of this token that came.'),
        token: sum('The address of the token.'),
      },
      required: ['asked', 'came', 'token'],
    },
    receive: {
      type: 'object',
      description: 'The output.',
      properties: {
        promised: sum('The least that the quote promises, or its estimate.'),
        arrived: sum('The amount of this token that arrived.'),
        token: sum('The address of the token.'),
      },
      required: ['promised', 'arrived', 'token'],
    },
    match: {
      enum: MATCHES,
      description:
        'The deposit against the sum that was asked for, within AMOUNT_TOLERANCE_BPS. unknown: the provider does not say one of them.',
    },
  },
  required: ['send', 'receive', 'match'],
} as const;

const QUOTE_IDS = { type: 'array', items: { type: 'string' } } as const;

/** Present in an event by which a payment pays its order. */
export const ORDER = {
  type: 'object',
  optional: true,
  description:
    'Only where the order has other payments: the quote ids of those that are completed or open, newest first.',
  properties: {
    completed: {
      ...QUOTE_IDS,
      description: 'Completed payments that are not resolved as a duplicate: the order is paid twice.',
    },
    open: { ...QUOTE_IDS, description: 'Payments that have not ended: the order may be paid again.' },
  },
  required: ['completed', 'open'],
} as const;
