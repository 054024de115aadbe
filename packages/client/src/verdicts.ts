/** Each reason with its verdict; Paybell's docs/using/money.md says what a shop does about each. */
export const VERDICTS = {
  paid: 'fulfil',
  paid_late: 'fulfil',
  paid_in_excess: 'fulfil',
  paid_unknown_sum: 'fulfil',
  awaiting_deposit: 'wait',
  deposit_received: 'wait',
  executing: 'wait',
  late_deposit: 'wait',
  went_back: 'wait',
  unknown_status: 'wait',
  underpaid: 'ask',
  overpaid: 'ask',
  short_output: 'ask',
  partly_refunded: 'ask',
  contradictory_output: 'ask',
  other_token_received: 'ask',
  other_address: 'ask',
  deposit_unseen_by_provider: 'ask',
  changed_after_completed: 'ask',
  contradicted_by_chain: 'ask',
  unknown_anomaly: 'ask',
  stalled: 'ask',
  failed: 'ask',
  refunded: 'ask',
  no_order: 'ask',
  order_paid_twice: 'ask',
  order_changed: 'ask',
  refunded_to_shop: 'give_back',
  underpaid_failed: 'give_back',
  refunded_to_payer: 'nothing',
  expired: 'nothing',
  resolved: 'nothing',
  updated: 'nothing',
  verified: 'nothing',
  unknown_type: 'nothing',
  no_payment: 'nothing',
} as const;

/** The reason for a verdict. */
export type VerdictReason = keyof typeof VERDICTS;

/**
 * The meaning of an event for its order. `fulfil`: the money is there, so fulfil the order if it still stands. `wait`: a later
 * event decides. `ask`: a person decides, and the order stays as it is. `give_back`: the shop has money that it owes the
 * payer. `nothing`: the order is not concerned.
 */
export interface Verdict {
  readonly verdict: (typeof VERDICTS)[VerdictReason];
  readonly reason: VerdictReason;
}
