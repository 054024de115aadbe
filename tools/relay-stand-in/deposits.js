// @ts-check
/** Relay's reaction to money that arrives at one of its deposit addresses. */
import { addressFrom, newTxHash } from '../stand-in/addresses.js';
import { knownChain } from './chains.js';
import { isPaid, newOrder } from './orders.js';
import { tradeOfInput } from './prices.js';
import { bpsOf } from './quotes.js';
import { TOKENS, tokenAt } from './tokens.js';

/** @typedef {import('./options.js').RelayOptions} RelayOptions */
/** @typedef {import('./order-book.js').OrderBook} OrderBook */
/** @typedef {import('./orders.js').Order} Order */
/** @typedef {import('./orders.js').Life} Life */
/** @typedef {import('./tokens.js').Token} Token */
/**
 * @typedef {object} Deposit
 * @property {bigint | string} [amountRaw] the quoted amount unless said otherwise
 * @property {Date} [at]
 * @property {string} [token] address of another token than the quoted one
 * @property {number} [chainId] another chain than the quoted one
 * @property {string} [txHash]
 * @property {string} [from]
 * @property {string} [as] Relay's first word about it: `depositing`, or `pending` as on Bitcoin
 * @property {boolean} [unseen] Relay overlooks it
 */
/** @typedef {{ order: Order, isNew: boolean, change: Partial<Life> } | null} Taken */

/** A later deposit at an open address makes a new request. */
const REQUOTE_AFTER_MS = 30_000;

/** The request that takes this deposit, and its result; null for money that Relay does not see. @returns {Taken} */
export function takeDeposit(
  /** @type {OrderBook} */ book,
  /** @type {string} */ key,
  /** @type {Deposit} */ deposit,
  /** @type {RelayOptions} */ options,
) {
  const first = takerOf(book, key);
  const token = tokenOf(first, deposit);
  // An unknown token is lost, and so is a token that no solver accepts.
  if (token === null || !token.isSolver) return null;
  const at = (deposit.at ?? options.clock.now()).getTime();
  const seen = seenAs(first, token, deposit, at);
  if (token.chainId !== first.tokenIn.chainId) {
    return first.type === 'strict' ? refusedBy(first, seen, 'DEPOSIT_CHAIN_MISMATCH') : null;
  }
  return first.type === 'strict'
    ? takenStrictly(first, token, seen, at)
    : takenOpenly(first, token, seen, at);
}

/** A deposit of a request that Relay made by itself. @returns {Partial<Life>} */
export function quotedDeposit(
  /** @type {Order} */ order,
  /** @type {number} */ at,
  /** @type {Deposit} */ deposit = {},
) {
  return seenAs(order, order.tokenIn, deposit, at);
}

/** The same token on another chain, by its symbol. */
function tokenOf(
  /** @type {Order} */ { tokenIn },
  /** @type {Deposit} */ { chainId = tokenIn.chainId, token },
) {
  if (token !== undefined) return tokenAt(chainId, token);
  if (chainId === tokenIn.chainId) return tokenIn;
  return TOKENS.find((other) => other.chainId === chainId && other.symbol === tokenIn.symbol) ?? null;
}

/** @returns {Order} */
function takerOf(/** @type {OrderBook} */ book, /** @type {string} */ key) {
  const waiting = book.atAddress(key).findLast((order) => !isPaid(order) && order.status === 'waiting');
  return waiting ?? book.live(key);
}

/** @returns {Partial<Life> & { paid: bigint }} */
function seenAs(
  /** @type {Order} */ order,
  /** @type {Token} */ token,
  /** @type {Deposit} */ { amountRaw, txHash, from, as = 'depositing' },
  /** @type {number} */ at,
) {
  const { vmType } = knownChain(token.chainId);
  return {
    status: as,
    depositedAt: at,
    depositor: from ?? addressFrom(`payer:${order.id}`, vmType),
    depositTxHash: txHash ?? newTxHash(vmType),
    paid: amountRaw === undefined ? order.amountIn : BigInt(amountRaw),
  };
}

/** @returns {Taken} */
function takenStrictly(
  /** @type {Order} */ order,
  /** @type {Token} */ token,
  /** @type {Partial<Life> & { paid: bigint }} */ seen,
  /** @type {number} */ at,
) {
  if (isPaid(order) || order.status !== 'waiting') {
    const again = newOrder(order, order, at, order.address);
    return { order: again, isNew: true, change: { ...seen, doom: 'DOUBLE_SPEND' } };
  }
  if (token !== order.tokenIn) return refusedBy(order, seen, 'INCORRECT_DEPOSIT_CURRENCY');
  const isShort = seen.paid < order.amountIn;
  const doom = isShort ? 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL' : ttlDoom(order, at);
  return { order, isNew: false, change: { ...seen, doom } };
}

/** @returns {Taken} */
function takenOpenly(
  /** @type {Order} */ order,
  /** @type {Token} */ token,
  /** @type {Partial<Life> & { paid: bigint }} */ seen,
  /** @type {number} */ at,
) {
  const isLate = at - order.createdAt > REQUOTE_AFTER_MS;
  const isAsQuoted = token === order.tokenIn && seen.paid === order.amountIn && !isLate;
  if (isAsQuoted && !isPaid(order)) {
    return { order, isNew: false, change: { ...seen, doom: ttlDoom(order, at) } };
  }
  const trade = tradeOfInput(token, order.tokenOut, seen.paid, bpsOf(order));
  const doom = trade === null ? 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL' : ttlDoom(order, at);
  const nothing = { ...order, tokenIn: token, amountIn: seen.paid, amountOut: 0n };
  const next = newOrder(order, trade ?? nothing, at, order.address);
  return { order: next, isNew: true, change: { ...seen, doom } };
}

/** Funds that Relay holds and does not send back by itself. @returns {Taken} */
function refusedBy(
  /** @type {Order} */ order,
  /** @type {Partial<Life>} */ seen,
  /** @type {string} */ failReason,
) {
  return { order, isNew: false, change: { ...seen, status: 'failure', failReason } };
}

function ttlDoom(/** @type {Order} */ order, /** @type {number} */ at) {
  const isOver = order.ttlMs !== null && at > order.createdAt + order.ttlMs;
  return isOver ? 'TTL_EXPIRED' : null;
}
