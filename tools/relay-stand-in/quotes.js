// @ts-check
/** `POST /quote/v2`: checks the body, prices the trade, makes the request. */
import { answer, refusal } from './answers.js';
import { newOrder } from './orders.js';
import { tradeOfInput, tradeOfOutput } from './prices.js';
import { quoteObject } from './quote-object.js';
import { endsOf, malformed, wantsKey, wrongDepositAddress, wrongWallet } from './quote-rules.js';

/** @typedef {import('./answers.js').Answer} Answer */
/** @typedef {import('./orders.js').Order} Order */
/** @typedef {import('./options.js').RelayOptions} RelayOptions */
/** @typedef {Record<string, unknown>} Json */

/** Relay's own fee. */
const SERVICE_BPS = 5n;
/** More than Relay's solver has at hand. */
const MOST_MICRO_USD = 2_000_000_000_000n;
const MS = 1_000;

/** The request that a quote made, or Relay's refusal. @returns {Order | Answer} */
export function orderOfQuote(
  /** @type {Json} */ body,
  /** @type {string | null} */ apiKey,
  /** @type {RelayOptions} */ options,
) {
  const wrong = malformed(body);
  if (wrong !== null) return wrong;
  const ends = endsOf(body);
  if ('status' in ends) return ends;
  const type = typeOf(body, options);
  const refused =
    wantsKey(body, ends, apiKey) ??
    wrongWallet(body, ends) ??
    (type === null ? null : wrongDepositAddress(body, ends, type));
  if (refused !== null) return refused;
  const route = routeOf(body, apiKey, type);
  const amount = BigInt(String(body['amount']));
  const price = body['tradeType'] === 'EXACT_INPUT' ? tradeOfInput : tradeOfOutput;
  const trade = price(ends.tokenIn, ends.tokenOut, amount, bpsOf(route));
  if (trade === null) return refusal('AMOUNT_TOO_LOW', 'Amount is too low to cover the fees of this route');
  if ((trade.amountIn * ends.tokenIn.microUsd) / 10n ** BigInt(ends.tokenIn.decimals) > MOST_MICRO_USD) {
    return refusal('INSUFFICIENT_LIQUIDITY', 'Insufficient liquidity for this route');
  }
  return newOrder(route, trade, options.clock.now().getTime());
}

export function quoteAnswer(/** @type {Order} */ order, /** @type {Json} */ body) {
  const slippage = body['slippageTolerance'];
  const slippageBps = typeof slippage === 'string' ? BigInt(slippage) : undefined;
  return answer(200, quoteObject(order, slippageBps));
}

/** The fees of Relay and the app for a trade on this route. */
export function bpsOf(/** @type {Pick<Order, 'appFees'>} */ { appFees }) {
  return { appBps: appFees.reduce((sum, { fee }) => sum + BigInt(fee), 0n), serviceBps: SERVICE_BPS };
}

/** @returns {'strict' | 'open' | null} */
function typeOf(/** @type {Json} */ body, /** @type {RelayOptions} */ { addressType }) {
  if (body['useDepositAddress'] !== true) return null;
  if (addressType === 'open' || addressType === 'strict') return addressType;
  const isStrict = addressType === 'as-asked' ? body['strict'] === true : body['tradeType'] !== 'EXACT_INPUT';
  return isStrict ? 'strict' : 'open';
}

/** @returns {import('./orders.js').Route} */
function routeOf(
  /** @type {Json} */ body,
  /** @type {string | null} */ apiKey,
  /** @type {'strict' | 'open' | null} */ type,
) {
  const { ttl, appFees } = body;
  return {
    apiKey,
    type,
    user: String(body['user']),
    recipient: String(body['recipient'] ?? body['user']),
    refundTo: textOf(body['refundTo']),
    recoveryAddress: textOf(body['recoveryAddress']),
    referrer: textOf(body['referrer']),
    tradeType: String(body['tradeType']),
    ttlMs: typeof ttl === 'number' ? ttl * MS : null,
    appFees: /** @type {readonly import('./orders.js').AppFee[]} */ (appFees ?? []),
  };
}

function textOf(/** @type {unknown} */ value) {
  return typeof value === 'string' ? value : null;
}
