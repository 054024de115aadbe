import { hasDeposit, phaseOf } from './request-phase.ts';
import type { RoutedRequest } from './routed-request.ts';

/** The state of the payer's refund after a failed delivery; null when there is no money to refund. */
export type RefundState = 'refunded' | 'pending' | 'manual' | 'impossible' | null;

/** Relay's failure codes in plain words. The list is open: an unknown code is reported unchanged. */
const REASONS = new Map([
  ['DEPOSITED_AMOUNT_TOO_LOW_TO_FILL', 'the deposit was too small to be delivered'],
  ['INCORRECT_DEPOSIT_CURRENCY', 'the deposit was made in another token'],
  ['ORIGIN_CURRENCY_MISMATCH', 'the deposit was made in another token'],
  ['DEPOSIT_CHAIN_MISMATCH', 'the deposit was made on another chain'],
  ['DEPOSIT_ADDRESS_MISMATCH', 'the deposit was made to another address'],
  ['DOUBLE_SPEND', 'the address had been paid already'],
  ['ORPHANED_DEPOSIT_REFUND', 'the deposit belonged to no open payment'],
  ['TTL_EXPIRED', 'the payment was not delivered in time'],
  ['ORDER_EXPIRED', 'the payment was not delivered in time'],
  ['PROTOCOL_DEADLINE_EXPIRED', 'the payment was not delivered in time'],
  ['DEPOSIT_CONFIRMATION_TIMEOUT', 'the deposit was not confirmed in time'],
  ['DEPOSIT_REORGED', 'the deposit was undone by a reorganisation of its chain'],
  ['BLOCKED_WALLET', 'the wallet is blocked, and the funds are held'],
  ['SLIPPAGE', 'the price moved too far'],
  ['TOO_LITTLE_RECEIVED', 'the price moved too far'],
  ['SWAP_IMPACT_TOO_HIGH', 'the price moved too far'],
  ['NO_QUOTES', 'there was no route any more'],
  ['SOLVER_CAPACITY_EXCEEDED', 'there was not enough liquidity'],
  ['SOLVER_BALANCE_TOO_LOW', 'there was not enough liquidity'],
  ['EXECUTION_REVERTED', 'the delivery was reverted on its chain'],
  ['TRANSACTION_REVERTED', 'the delivery was reverted on its chain'],
  ['DESTINATION_TOKEN_TRANSFER_REJECTED', 'the token could not be transferred to the recipient'],
  ['TRANSACTION_NOT_INCLUDED', 'the delivery did not get onto its chain'],
  ['TRANSACTION_SUBMISSION_FAILED', 'the delivery did not get onto its chain'],
  ['MANUAL_ADMIN_REFUND', 'the provider refunded it by hand'],
  ['UNKNOWN', 'no reason was recorded'],
]);

const REFUND_REASONS = new Map([
  ['AMOUNT_TOO_LOW_TO_REFUND', 'the amount does not cover the cost of a refund'],
  ['NEGATIVE_NEW_AMOUNT_AFTER_FEES', 'the amount does not cover the cost of a refund'],
  ['SWAP_CURRENCY_NOT_ON_ORIGIN', 'the token is not on the chain it came from'],
  ['REFUND_RECIPIENT_IS_VASP', 'the deposit came from an exchange'],
  ['MANUAL_REFUND_REQUIRED', 'the provider must refund it by hand'],
]);
const IMPOSSIBLE = new Set(['AMOUNT_TOO_LOW_TO_REFUND', 'NEGATIVE_NEW_AMOUNT_AFTER_FEES']);

const NO_REASON = 'the provider gave no reason';
const REFUND_WORDS = {
  pending: 'the refund is still to come',
  manual: 'the refund has to be asked for',
  impossible: 'nothing can be refunded',
} as const;

export function refundStateOf(request: RoutedRequest): RefundState {
  const phase = phaseOf(request);
  if (phase === 'refunded') return 'refunded';
  if (phase !== 'failed') return null;
  if (IMPOSSIBLE.has(codeOf(request.refundFailReason))) return 'impossible';
  const isHeld = codeOf(request.failReason) === 'BLOCKED_WALLET';
  if (isHeld || request.refundFailReason !== null) return 'manual';
  return hasDeposit(request) ? 'pending' : null;
}

/** Explains to a merchant why a payment was not delivered; null when it did not fail. Begins with `REFUNDED: ` for a refund. */
export function errorOf(request: RoutedRequest): string | null {
  const phase = phaseOf(request);
  const reason = explain(request.failReason, REASONS) ?? NO_REASON;
  if (phase === 'refunded') return `REFUNDED: ${reason}`;
  if (phase !== 'failed') return null;
  const state = refundStateOf(request);
  if (state === null || state === 'refunded') return reason;
  const why = explain(request.refundFailReason, REFUND_REASONS);
  return `${reason}; ${REFUND_WORDS[state]}${why === null ? '' : `: ${why}`}`;
}

function explain(reason: string | null, table: ReadonlyMap<string, string>): string | null {
  if (reason === null) return null;
  const words = table.get(codeOf(reason));
  return words === undefined ? reason : `${words} (${codeOf(reason)})`;
}

function codeOf(reason: string | null): string {
  return reason?.toUpperCase() ?? '';
}
