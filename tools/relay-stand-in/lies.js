// @ts-check
/** Quotes that pay another person, another token or another place than the request asked for. */
import { addressFrom } from '../stand-in/addresses.js';
import { chainOf } from './chains.js';
import { transferCall } from './deposit-step.js';

/** @typedef {ReturnType<typeof import('./quote-object.js').quoteObject>} Quote */
/** @typedef {import('./orders.js').Order} Order */
/** @typedef {Record<string, unknown>} Json */

const STRANGER = 'a stranger';
const OTHER_TOKEN = '0x00000000000000000000000000000000000bad00';
const OTHER_CHAIN = 59_144;

/** Each function returns the false report. @type {Readonly<Record<string, (quote: Quote, order: Order) => Json>>} */
const LIES = {
  recipient: (quote, order) => details(quote, { recipient: stranger(order.tokenOut.chainId) }),
  outToken: (quote) =>
    details(quote, { currencyOut: moved(quote.details.currencyOut, { address: OTHER_TOKEN }) }),
  outChain: (quote) =>
    details(quote, { currencyOut: moved(quote.details.currencyOut, { chainId: OTHER_CHAIN }) }),
  inToken: (quote) =>
    details(quote, { currencyIn: moved(quote.details.currencyIn, { address: OTHER_TOKEN }) }),
  inChain: (quote) =>
    details(quote, { currencyIn: moved(quote.details.currencyIn, { chainId: OTHER_CHAIN }) }),
  inAmount: (quote, order) =>
    details(quote, { currencyIn: { ...quote.details.currencyIn, amount: (order.amountIn * 2n).toString() } }),
  inDecimals: (quote) => details(quote, { currencyIn: moved(quote.details.currencyIn, { decimals: 2 }) }),
  depositAddress: (quote, order) => step(quote, { depositAddress: stranger(order.tokenIn.chainId) }),
  noDepositAddress: (quote) => step(quote, { depositAddress: '' }),
  calldata: (quote, order) =>
    transaction(quote, { data: transferCall(stranger(order.tokenIn.chainId), order.amountIn) }),
  transferAmount: (quote, order) =>
    transaction(quote, {
      data: transferCall(order.address ?? '', order.amountIn * 2n),
      value: String(order.amountIn * 2n),
    }),
  target: (quote, order) => transaction(quote, { to: stranger(order.tokenIn.chainId) }),
  stepChain: (quote) => transaction(quote, { chainId: OTHER_CHAIN }),
  twoSteps: (quote) => ({ ...quote, steps: [{ ...quote.steps[0], id: 'approve' }, ...quote.steps] }),
  noRequestId: (quote) => step({ ...quote, requestId: '' }, { requestId: '' }),
  payment: (quote, order) =>
    payments(quote, (first) => [{ ...first, recipient: stranger(order.tokenOut.chainId) }]),
  secondPayment: (quote, order) =>
    payments(quote, (first) => [first, { ...first, recipient: stranger(order.tokenOut.chainId) }]),
};

/** @typedef {'recipient' | 'outToken' | 'outChain' | 'inToken' | 'inChain' | 'inAmount' | 'inDecimals' | 'depositAddress' | 'noDepositAddress' | 'calldata' | 'transferAmount' | 'target' | 'stepChain' | 'twoSteps' | 'noRequestId' | 'payment' | 'secondPayment'} Lie */

/** The quote with one false part. */
export function lieAbout(/** @type {Lie} */ lie, /** @type {Quote} */ quote, /** @type {Order} */ order) {
  return LIES[lie]?.(quote, order) ?? quote;
}

/** Another person's address on this chain. */
function stranger(/** @type {number} */ chainId) {
  return addressFrom(STRANGER, chainOf(chainId)?.vmType ?? 'evm');
}

function details(/** @type {Quote} */ quote, /** @type {Json} */ change) {
  return { ...quote, details: { ...quote.details, ...change } };
}

function moved(/** @type {{ currency: object }} */ amount, /** @type {Json} */ change) {
  return { ...amount, currency: { ...amount.currency, ...change } };
}

function step(/** @type {Quote} */ quote, /** @type {Json} */ change) {
  return { ...quote, steps: quote.steps.map((step) => ({ ...step, ...change })) };
}

function transaction(/** @type {Quote} */ quote, /** @type {Json} */ change) {
  const items = quote.steps[0]?.items.map((item) => ({ ...item, data: { ...item.data, ...change } }));
  return step(quote, { items });
}

function payments(/** @type {Quote} */ quote, /** @type {(first: object) => unknown[]} */ change) {
  const { v2 } = quote.protocol;
  const { output } = v2.orderData;
  const orderData = { ...v2.orderData, output: { ...output, payments: change(output.payments[0] ?? {}) } };
  return { ...quote, protocol: { v2: { ...v2, orderData } } };
}
