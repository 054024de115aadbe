// @ts-check
/** One request of Relay, as the stand-in stores it. */
import { createHash, randomBytes } from 'node:crypto';

import { addressFrom } from '../stand-in/addresses.js';
import { knownChain } from './chains.js';

/** @typedef {import('./tokens.js').Token} Token */
/** @typedef {import('./prices.js').Trade} Trade */
/** @typedef {{ recipient: string, fee: string }} AppFee */
/**
 * @typedef {object} Tx
 * @property {string} txHash
 * @property {number} chainId
 * @property {number} timestamp unix seconds
 * @property {'success' | 'failure'} status
 */
/**
 * The request of a quote, which every order made of it keeps.
 * @typedef {object} Route
 * @property {string | null} apiKey
 * @property {string} user
 * @property {string} recipient
 * @property {string | null} refundTo
 * @property {string | null} recoveryAddress
 * @property {string | null} referrer
 * @property {'strict' | 'open' | null} type null without a deposit address
 * @property {string} tradeType
 * @property {number | null} ttlMs
 * @property {readonly AppFee[]} appFees
 */
/**
 * @typedef {object} Life
 * @property {string} status Relay's word
 * @property {number} updatedAt unix milliseconds
 * @property {number} touch the book's count at the last change
 * @property {string | null} depositor
 * @property {string | null} depositTxHash the payer's own transaction
 * @property {number | null} depositedAt unix milliseconds
 * @property {bigint | null} paid
 * @property {bigint | null} delivered
 * @property {bigint | null} refunded
 * @property {string | null} doom why Relay will not fill this deposit
 * @property {readonly Tx[]} sweeps
 * @property {readonly Tx[]} fills
 * @property {readonly Tx[]} refunds
 * @property {string | null} failReason
 * @property {string | null} refundFailReason
 * @property {string | null} supersededBy
 * @property {((row: Record<string, unknown>) => Record<string, unknown>) | null} reshape
 */
/** @typedef {Route & Trade & Life & { id: string, orderId: string, address: string | null, createdAt: number }} Order */

/** @type {Life} */
const UNTOUCHED = {
  status: 'waiting',
  updatedAt: 0,
  touch: 0,
  depositor: null,
  depositTxHash: null,
  depositedAt: null,
  paid: null,
  delivered: null,
  refunded: null,
  doom: null,
  sweeps: [],
  fills: [],
  refunds: [],
  failReason: null,
  refundFailReason: null,
  supersededBy: null,
  reshape: null,
};

const REQUEST_ID_DIGITS = 64;

/** A new request; `address` is that of the one before it. @returns {Order} */
export function newOrder(
  /** @type {Route} */ route,
  /** @type {Trade} */ trade,
  /** @type {number} */ createdAt,
  /** @type {string | null} */ address = null,
) {
  const id = newRequestId(createdAt);
  const { vmType } = knownChain(trade.tokenIn.chainId);
  return {
    ...UNTOUCHED,
    ...routeOf(route),
    ...tradeOf(trade),
    id,
    orderId: `0x${createHash('sha256').update(`order:${id}`).digest('hex')}`,
    address: route.type === null ? null : (address ?? addressFrom(id, vmType)),
    createdAt,
    updatedAt: createdAt,
  };
}

/** True once money has come. */
export function isPaid(/** @type {Order} */ order) {
  return order.depositedAt !== null;
}

/** The route of an order, without the order's other fields. @returns {Route} */
function routeOf(/** @type {Route} */ route) {
  const { apiKey, user, recipient, refundTo, recoveryAddress, referrer, type, tradeType, ttlMs, appFees } =
    route;
  return { apiKey, user, recipient, refundTo, recoveryAddress, referrer, type, tradeType, ttlMs, appFees };
}

/** @returns {Trade} */
function tradeOf(/** @type {Trade} */ { tokenIn, tokenOut, amountIn, amountOut, fees }) {
  return { tokenIn, tokenOut, amountIn, amountOut, fees };
}

/** 66 characters that begin with the creation time in milliseconds, as decimal digits. */
function newRequestId(/** @type {number} */ createdAt) {
  const start = String(createdAt);
  return `0x${start}${randomBytes(REQUEST_ID_DIGITS / 2).toString('hex')}`.slice(0, REQUEST_ID_DIGITS + 2);
}
