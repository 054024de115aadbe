import { type PaymentTrouble, PAYMENT_TROUBLES } from '../attention/payment-troubles.ts';
import { settlesLate, settlesSum } from './provider-words.ts';
import { helpsReceiver } from './receivers.ts';
import { type Row, type When, wordsOf } from './row.ts';
import type { Standing, Telling } from './standing.ts';

/** The card of Attention in which a payment stands. */
export type Need = PaymentTrouble | 'untold';

export const NEEDS: readonly Need[] = [...PAYMENT_TROUBLES, 'untold'];

const UNPAID: When = { status: ['AWAITING_DEPOSIT', 'EXPIRED'] };
const UNDER_WAY: When = { status: ['AWAITING_DEPOSIT', 'DEPOSIT_RECEIVED', 'EXECUTING'] };
const HELD: When = { isHeld: [true] };
const GONE_ON = ['after_expiry', 'after_failure'] as const;
const ONCE_ENDED = 'Settle the difference once the payment has ended.';
const MAY_COMPLETE = 'Ask the buyer whether the order still stands: the payment may complete.';
const SEND_BACK = 'Ask the provider to send it back.';
const WHERE_IT_IS = 'Ask the provider where the deposit is.';

/**
 * The advice about each need of a payment. Its page has that of the first need that fits, as the payment stands in the first card that
 * counts it: src/database/attention/payment-needs.ts decides the same in SQL, and a test compares the two.
 */
export const TO_DO: Readonly<Record<Need, readonly Row[]>> = {
  contradicted: [
    {
      when: { proof: ['contradicted'] },
      say: 'Hand nothing out before you know more: ask the provider where the money is.',
    },
  ],
  depositUnseen: [
    { when: { unseen: ['asked_token'] }, say: 'Show the provider the transaction.' },
    { when: { unseen: ['other_token'] }, say: SEND_BACK },
  ],
  unverified: [
    {
      when: { isUnproven: [true], isHeld: [true] },
      say: 'Look at the answers of the RPCs, or release the payment once you have seen the money.',
    },
    {
      when: { isUnproven: [true] },
      say: 'Look at the answers of the RPCs, and see whether the recipient has the money.',
    },
  ],
  paidTwice: [
    {
      when: { isPaidTwice: [true] },
      say: 'Give back what is too much, and resolve that payment as a duplicate.',
    },
  ],
  anomaly: [
    { when: { oddities: ['changed_after_completed'] }, say: 'Ask the provider where the money is.' },
    { when: { oddities: ['contradictory_output'] }, say: 'Ask the provider which of the two is true.' },
    {
      when: { oddities: ['went_back', 'other_address', 'unknown_status'] },
      say: 'Ask the provider which report holds, and resolve the payment.',
    },
  ],
  short: [
    {
      when: { ...UNDER_WAY, oddities: ['partly_refunded', 'short_output'] },
      say: ONCE_ENDED,
    },
    { when: { oddities: ['partly_refunded', 'short_output'] }, say: 'Settle the difference.' },
  ],
  wrongSum: [
    { when: { ...HELD, oddities: ['other_token_received'] }, say: ONCE_ENDED },
    { when: { ...UNPAID, oddities: ['other_token_received'] }, say: SEND_BACK },
    { when: { status: ['FAILED'], oddities: ['other_token_received'] }, say: WHERE_IT_IS },
    {
      when: { ...UNDER_WAY, oddities: ['other_token_received'] },
      say: 'Ask the provider whether it takes this token.',
    },
    { when: { oddities: ['other_token_received', 'underpaid', 'overpaid'] }, say: settlesSum },
  ],
  stalled: [
    {
      when: { stall: ['no_progress', 'provider_silent'] },
      say: 'Ask the provider what holds the payment up.',
    },
    { when: { isDepositKept: [true] }, say: WHERE_IT_IS },
  ],
  late: [
    { when: { ...HELD, late: GONE_ON }, say: MAY_COMPLETE },
    {
      when: { ...UNDER_WAY, late: GONE_ON },
      say: MAY_COMPLETE,
    },
    { when: { late: GONE_ON }, say: settlesLate },
  ],
  untold: [
    {
      when: { told: ['unset'], isUntold: [true] },
      say: 'Add an endpoint, and recover it from a time before this payment.',
    },
    {
      when: { told: ['nobody'], isUntold: [true] },
      say: 'Recover the endpoint from a time before this payment.',
    },
    { when: { isUntold: [true] }, say: helpsReceiver },
  ],
};

interface Advice {
  readonly need: Need;
  readonly words: string;
}

/**
 * The needs that are left after the word of a person. An order that was paid twice needs a person until one payment is a duplicate,
 * and the receivers must learn of the completion of a released payment.
 */
const LEFT: Readonly<Record<Standing['resolution'], readonly Need[]>> = {
  none: NEEDS,
  released: ['paidTwice', 'untold'],
  settled: ['paidTwice'],
};

/** Null: nothing needs a person. */
export function adviceOf(telling: Telling): Advice | null {
  for (const need of LEFT[telling.standing.resolution]) {
    const words = TO_DO[need].map((row) => wordsOf(row, telling)).find((text) => text !== '');
    if (words !== undefined) return { need, words };
  }
  return null;
}
