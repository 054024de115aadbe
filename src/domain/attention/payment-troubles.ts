/**
 * Why unresolved payments need a person; of the payments of an order that was paid twice, those that are no duplicate. A payment with
 * several troubles counts for the first of them, and its page says what to do about that one: domain/story/to-do.ts.
 */
export const PAYMENT_TROUBLES = [
  'contradicted',
  'depositUnseen',
  'unverified',
  'paidTwice',
  'anomaly',
  'short',
  'wrongSum',
  'stalled',
  'late',
] as const;
export type PaymentTrouble = (typeof PAYMENT_TROUBLES)[number];

/** How the API names them. */
export const TROUBLE_CODES = {
  contradicted: 'payments_contradicted',
  depositUnseen: 'deposits_unseen',
  unverified: 'payments_unverified',
  paidTwice: 'order_paid_twice',
  anomaly: 'payments_anomaly',
  short: 'payments_short',
  wrongSum: 'payments_wrong_sum',
  stalled: 'payments_stalled',
  late: 'payments_late',
} as const satisfies Readonly<Record<PaymentTrouble, string>>;

/** The cards of Attention whose payments can be listed: those of a trouble, and those with an event that had no receiver. */
export type ListedNeed = PaymentTrouble | 'noReceiver';

export const NEED_CODES = {
  ...TROUBLE_CODES,
  noReceiver: 'no_receiver',
} as const satisfies Readonly<Record<ListedNeed, string>>;

export function needOf(code: string | undefined): ListedNeed | undefined {
  return (Object.keys(NEED_CODES) as ListedNeed[]).find((need) => NEED_CODES[need] === code);
}
