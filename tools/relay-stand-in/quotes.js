// @ts-check
/** `POST /quote/v2`: checks, prices, makes the request. */
import { answer, invalid, refusal } from './answers.js';
import { newOrder, routeAddress } from './orders.js';
import { tradeOfInput, tradeOfOutput } from './prices.js';
import { quoteObject } from './quote-object.js';
import { endsOf, malformed, wantsKey, wrongDepositAddress, wrongWallet } from './quote-rules.js';

/** @typedef {import('./answers.js').Answer} Answer */
/** @typedef {import('./orders.js').Order} Order */
/** @typedef {import('./options.js').RelayOptions} RelayOptions */
/** @typedef {Record<string, unknown>} Json */

const MOST_SLIPPAGE_BPS = 10_000n;
/** More than Relay's solver has at hand. */
const MOST_MICRO_USD = 2_000_000_000_000n;
const MS = 1_000;

/** The request a quote made, or how Relay refuses it. @returns {Order | Answer} */
export function orderOfQuote(
  /** @type {Json} */ body,
  /** @type {string | null} */ apiKey,
  /** @type {RelayOptions} */ options,
) {
  const wrong = malformed(body);
  if (wrong !== null) return wrong;
  const ends = endsOf(body, options);
  if ('status' in ends) return ends;
  const type = typeOf(body, options);
  const refused =
    wantsKey(body, ends, apiKey) ??
    wrongWallet(body, ends, options) ??
    (type === null ? null : wrongDepositAddress(body, ends, type, options)) ??
    wrongSlippage(body);
  if (refused !== null) return refused;
  const route = routeOf(body, apiKey, type);
  const amount = BigInt(String(body['amount']));
  const price = body['tradeType'] === 'EXACT_INPUT' ? tradeOfInput : tradeOfOutput;
  const trade = price(ends.tokenIn, ends.tokenOut, amount, bpsOf(route, options));
  if (trade === null) return refusal('AMOUNT_TOO_LOW', 'Amount is too low to cover the fees of this route');
  if ((trade.amountIn * ends.tokenIn.microUsd) / 10n ** BigInt(ends.tokenIn.decimals) > MOST_MICRO_USD) {
    return refusal('INSUFFICIENT_LIQUIDITY', 'Insufficient liquidity for this route');
  }
  const isShared = options.reusesAddresses && type === 'open';
  const address = isShared ? routeAddress(route, trade) : null;
  return newOrder(route, trade, options.clock.now().getTime(), address);
}

export function quoteAnswer(
  /** @type {Order} */ order,
  /** @type {Json} */ body,
  /** @type {RelayOptions} */ options,
) {
  const slippage = body['slippageTolerance'];
  const slippageBps = typeof slippage === 'string' ? BigInt(slippage) : undefined;
  return answer(200, quoteObject(order, options, slippageBps));
}

/** The fees of Relay and the app for a trade on this route. */
export function bpsOf(
  /** @type {Pick<Order, 'appFees'>} */ { appFees },
  /** @type {RelayOptions} */ options,
) {
  return { appBps: appFees.reduce((sum, { fee }) => sum + BigInt(fee), 0n), serviceBps: options.serviceBps };
}

/** @returns {'strict' | 'open' | null} */
function typeOf(/** @type {Json} */ body, /** @type {RelayOptions} */ { addressType }) {
  if (body['useDepositAddress'] !== true) return null;
  if (addressType === 'open' || addressType === 'strict') return addressType;
  const isStrict = addressType === 'as-asked' ? body['strict'] === true : body['tradeType'] !== 'EXACT_INPUT';
  return isStrict ? 'strict' : 'open';
}

/** @returns {Answer | null} */
function wrongSlippage(/** @type {Json} */ { slippageTolerance }) {
  if (typeof slippageTolerance !== 'string') return null;
  if (!/^\d+$/.test(slippageTolerance)) {
    return invalid('body/slippageTolerance must match pattern "^[0-9]+$"');
  }
  if (BigInt(slippageTolerance) <= MOST_SLIPPAGE_BPS) return null;
  return refusal('INVALID_SLIPPAGE_TOLERANCE', 'Invalid slippage tolerance');
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
