// @ts-check
/** Relay's refusals of a quote, with their words. */
import { isAddress } from '../stand-in/addresses.js';
import { invalid, QUOTE_WITHOUT_KEY, REFERRER_WITHOUT_KEY, refusal } from './answers.js';
import { BITCOIN_NATIVE, chainOf, SOLANA_NATIVE } from './chains.js';
import { solverTokens, tokenAt } from './tokens.js';

/** @typedef {import('./answers.js').Answer} Answer */
/** @typedef {import('./chains.js').Chain} Chain */
/** @typedef {import('./tokens.js').Token} Token */
/** @typedef {Record<string, unknown>} Json */
/** @typedef {{ origin: Chain, destination: Chain, tokenIn: Token, tokenOut: Token }} Ends */

const TEXTS = ['user', 'originCurrency', 'destinationCurrency', 'amount', 'tradeType'];
const OPTIONAL_TEXTS = ['recipient', 'refundTo', 'recoveryAddress', 'referrer', 'slippageTolerance'];
const NUMBERS = ['originChainId', 'destinationChainId'];
const TRADE_TYPES = new Set(['EXACT_INPUT', 'EXACT_OUTPUT', 'EXPECTED_OUTPUT']);
const DIGITS = /^[0-9]+$/;
const NO_KEY_NO_QUOTE = new Set(['svm', 'bvm']);
/** The native address of these families means "refund whoever deposited". */
const REFUND_TO_DEPOSITOR = new Map([
  ['evm', '0x0000000000000000000000000000000000000000'],
  ['svm', SOLANA_NATIVE],
  ['bvm', BITCOIN_NATIVE],
]);

/** The schema's violation; null for a well-formed body. */
export function malformed(/** @type {Json} */ body) {
  for (const name of [...TEXTS, ...NUMBERS]) {
    if (body[name] === undefined) return invalid(`body must have required property '${name}'`);
  }
  for (const name of [...TEXTS, ...OPTIONAL_TEXTS]) {
    if (body[name] !== undefined && typeof body[name] !== 'string')
      return invalid(`body/${name} must be string`);
  }
  for (const name of [...NUMBERS, 'ttl']) {
    if (body[name] !== undefined && typeof body[name] !== 'number')
      return invalid(`body/${name} must be number`);
  }
  if (!DIGITS.test(String(body['amount']))) return invalid('body/amount must match pattern "^[0-9]+$"');
  if (!TRADE_TYPES.has(String(body['tradeType']))) {
    return invalid('body/tradeType must be equal to one of the allowed values');
  }
  return isAppFees(body['appFees']) ? null : invalid('body/appFees/0 must be object');
}

/** The chains and tokens of a quote, or Relay's refusal of them. @returns {Ends | Answer} */
export function endsOf(/** @type {Json} */ body) {
  const origin = chainOf(body['originChainId']);
  const destination = chainOf(body['destinationChainId']);
  if (origin === null || destination === null) return refusal('UNSUPPORTED_CHAIN', 'Chain is not supported');
  if (origin.disabled === true || destination.disabled === true || origin.depositEnabled === false) {
    return refusal('CHAIN_DISABLED', 'Chain is currently disabled');
  }
  const tokenIn = tokenAt(origin.id, body['originCurrency']);
  if (tokenIn === null) return refusal('INVALID_INPUT_CURRENCY', 'Invalid input currency');
  const tokenOut = tokenAt(destination.id, body['destinationCurrency']);
  if (tokenOut === null) return refusal('INVALID_OUTPUT_CURRENCY', 'Invalid output currency');
  if (body['useDepositAddress'] === true && !tokenIn.isSolver) {
    return refusal('UNSUPPORTED_CURRENCY', `${tokenIn.symbol} is not supported for deposit addresses`);
  }
  return { origin, destination, tokenIn, tokenOut };
}

/** The fault in a quote's wallets; null if there is none. @returns {Answer | null} */
export function wrongWallet(/** @type {Json} */ body, /** @type {Ends} */ ends) {
  const { origin, destination } = ends;
  const recipient = body['recipient'] ?? body['user'];
  if (!isAddress(body['user'], origin.vmType))
    return refusal('INVALID_ADDRESS', `Invalid address ${String(body['user'])}`);
  if (!isAddress(recipient, destination.vmType)) {
    return refusal('INVALID_ADDRESS', `Invalid address ${String(recipient)} for chain ${destination.id}`);
  }
  if (tokenAt(destination.id, recipient) !== null && recipient !== destination.native) {
    return refusal('INVALID_RECIPIENT', 'Recipient is a token contract');
  }
  return null;
}

/** The further requirements of a deposit address. @returns {Answer | null} */
export function wrongDepositAddress(
  /** @type {Json} */ body,
  /** @type {Ends} */ ends,
  /** @type {'strict' | 'open'} */ type,
) {
  if (type === 'open' && body['tradeType'] === 'EXACT_OUTPUT') {
    return refusal('UNSUPPORTED_EXECUTION_TYPE', 'EXACT_OUTPUT is not supported for open deposit addresses');
  }
  return wrongRefundTo(body, ends, type);
}

/** @returns {Answer | null} */
function wrongRefundTo(
  /** @type {Json} */ { refundTo },
  /** @type {Ends} */ { origin, destination, tokenOut },
  /** @type {'strict' | 'open'} */ type,
) {
  if (typeof refundTo !== 'string') {
    const isSwapped = !solverTokens(destination.id).includes(tokenOut);
    if (type === 'open' && !isSwapped) return null;
    return refusal('INVALID_ADDRESS', 'refundTo is required for this deposit address');
  }
  return isRefundTo(refundTo, origin)
    ? null
    : refusal('INVALID_ADDRESS', `Invalid refundTo address ${refundTo}`);
}

/** Refuses a request that needs a key; null if the caller has one. @returns {Answer | null} */
export function wantsKey(
  /** @type {Json} */ body,
  /** @type {Ends} */ { origin },
  /** @type {string | null} */ apiKey,
) {
  if (apiKey !== null) return null;
  if (body['referrer'] !== undefined) return REFERRER_WITHOUT_KEY;
  return body['useDepositAddress'] === true && NO_KEY_NO_QUOTE.has(origin.vmType) ? QUOTE_WITHOUT_KEY : null;
}

/** True for the address that means "whoever deposited". */
export function isDepositorRefund(/** @type {string | null} */ refundTo, /** @type {Chain} */ origin) {
  return refundTo !== null && REFUND_TO_DEPOSITOR.get(origin.vmType) === refundTo;
}

function isRefundTo(/** @type {string} */ refundTo, /** @type {Chain} */ origin) {
  if (refundTo === origin.native) return isDepositorRefund(refundTo, origin);
  return isAddress(refundTo, origin.vmType);
}

function isAppFees(/** @type {unknown} */ appFees) {
  if (appFees === undefined) return true;
  return Array.isArray(appFees) && appFees.every((fee) => isAppFee(fee));
}

function isAppFee(/** @type {{ recipient?: unknown, fee?: unknown } | null} */ appFee) {
  return isAddress(appFee?.recipient, 'evm') && DIGITS.test(String(appFee?.fee));
}
