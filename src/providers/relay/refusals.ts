import { ProviderRefused } from '../../ports/payment-provider.ts';
import { valueOrError } from '../shared/json-api.ts';
import type { RelayAnswer } from './relay-api.ts';

type RelayError = Extract<RelayAnswer, { kind: 'error' }>;
/** A code's meaning in a merchant's words, and the request's field at fault. */
type Meaning = readonly [words: string, field: string | null];

const TOO_SMALL = 'The amount is too small: the fees would take all or most of it.';
const TOO_LARGE = 'The amount is too large for this route now.';
const NO_ROUTE = 'There is no route from this token to that one now.';
const NO_WAY = 'A payment of this kind is not possible with a deposit address.';
const BLOCKED = 'The recipient is a wallet that may not be paid.';
const NO_RECIPIENT = 'The recipient is not a wallet that can be paid on the destination chain.';
const NO_FROM_TOKEN = 'The token to pay with is not supported on its chain.';
const NO_TO_TOKEN = 'The token to receive is not supported on its chain.';
const NO_CHAIN = 'One of the chains is not available now.';
const WOULD_FAIL = 'The payment would fail on the destination chain.';

/** Relay's codes for a refused quote; the list is open. Retryable codes and codes about the key are no refusals. */
const MEANINGS: ReadonlyMap<string, Meaning> = new Map([
  ['AMOUNT_TOO_LOW', [TOO_SMALL, 'amount']],
  ['AMOUNT_TOO_HIGH', [TOO_LARGE, 'amount']],
  ['INSUFFICIENT_LIQUIDITY', ['There is not enough liquidity for this amount on this route now.', 'amount']],
  ['SWAP_IMPACT_TOO_HIGH', ['The swap would cost too much of this amount.', 'amount']],
  ['NO_QUOTES', [NO_ROUTE, null]],
  ['NO_SWAP_ROUTES_FOUND', [NO_ROUTE, null]],
  ['NO_INTERNAL_SWAP_ROUTES_FOUND', [NO_ROUTE, null]],
  ['SWAP_QUOTE_FAILED', [NO_ROUTE, null]],
  ['UNSUPPORTED_ROUTE', [NO_ROUTE, null]],
  ['ROUTE_TEMPORARILY_RESTRICTED', ['This route is closed for the moment; try again later.', null]],
  ['SANCTIONED_WALLET_ADDRESS', [BLOCKED, 'recipient']],
  ['BLOCKED_WALLET_ADDRESS', [BLOCKED, 'recipient']],
  ['SANCTIONED_CURRENCY', ['One of the tokens may not be traded.', null]],
  ['INVALID_ADDRESS', [NO_RECIPIENT, 'recipient']],
  ['INVALID_RECIPIENT', [NO_RECIPIENT, 'recipient']],
  ['USER_RECIPIENT_MISMATCH', [NO_RECIPIENT, 'recipient']],
  ['UNSUPPORTED_CURRENCY', [NO_FROM_TOKEN, 'fromToken']],
  ['INVALID_INPUT_CURRENCY', [NO_FROM_TOKEN, 'fromToken']],
  ['INVALID_OUTPUT_CURRENCY', [NO_TO_TOKEN, 'toToken']],
  ['CHAIN_DISABLED', [NO_CHAIN, null]],
  ['UNSUPPORTED_CHAIN', [NO_CHAIN, null]],
  ['DESTINATION_TX_FAILED', [WOULD_FAIL, null]],
  ['INSUFFICIENT_FUNDS', [NO_WAY, null]],
  ['EXTRA_TXS_NOT_SUPPORTED', [NO_WAY, null]],
  ['INVALID_EXTRA_TXS', [NO_WAY, null]],
  ['INVALID_GAS_LIMIT_FOR_DEPOSIT_SPECIFIED_TXS', [NO_WAY, null]],
  ['INVALID_SLIPPAGE_TOLERANCE', [NO_WAY, null]],
  ['UNSUPPORTED_EXECUTION_TYPE', [NO_WAY, null]],
  ['SOLANA_TX_TOO_LARGE', [NO_WAY, null]],
  ['ERC20_ROUTER_ADDRESS_NOT_FOUND', [NO_WAY, null]],
  ['PERMIT_FAILED', [NO_WAY, null]],
]);
const UNKNOWN: Meaning = ['The payment provider refused this.', null];

/** Converts Relay's refusal to a refusal for the merchant: its meaning, then Relay's message. */
export function refusalOf({ code, message }: RelayError): ProviderRefused {
  const [words, field] = (code === null ? undefined : MEANINGS.get(code)) ?? UNKNOWN;
  const reason = message === '' ? code : message;
  return new ProviderRefused(422, reason === null ? words : `${words} Relay says: ${reason}`, field);
}

/** The value of a JSON answer; throws the provider's errors for any other answer. */
export function valueOrThrow(answer: RelayAnswer): unknown {
  const given = valueOrError(answer);
  if (given.kind === 'json') return given.value;
  throw refusalOf(given);
}
