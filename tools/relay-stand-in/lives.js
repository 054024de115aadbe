// @ts-check
/** The moves of a request's life, which the test makes. Each takes a deposit address or a request id, and returns the id. */
import { newTxHash } from '../stand-in/addresses.js';
import { rawFor } from './amounts.js';
import { knownChain } from './chains.js';
import { quotedDeposit, takeDeposit } from './deposits.js';
import { isPaid } from './orders.js';
import { isDepositorRefund } from './quote-rules.js';

/** @typedef {import('./deposits.js').Deposit} Deposit */
/** @typedef {import('./options.js').RelayOptions} RelayOptions */
/** @typedef {import('./order-book.js').OrderBook} OrderBook */
/** @typedef {import('./orders.js').Order} Order */
/** @typedef {import('./orders.js').Life} Life */
/** @typedef {import('./orders.js').Tx} Tx */
/** @typedef {{ reason?: string | null, refundFailReason?: string | null }} Reasons */

const MS = 1_000;

export class Lives {
  #book;
  #options;
  #notify;

  constructor(
    /** @type {OrderBook} */ book,
    /** @type {RelayOptions} */ options,
    /** @type {(order: Order) => void} */ notify,
  ) {
    this.#book = book;
    this.#options = options;
    this.#notify = notify;
  }

  /** Money arrives at the address; null: Relay does not see it. */
  deposit(/** @type {string} */ key, /** @type {Deposit} */ deposit = {}) {
    const taken = deposit.unseen === true ? null : takeDeposit(this.#book, key, deposit, this.#options);
    if (taken === null) return null;
    if (taken.isNew) this.#book.add(taken.order);
    return this.#move(taken.order, taken.change);
  }

  /** Relay sweeps the deposit into the depository: `inTxs` has this transaction, not the payer's own. */
  sweep(/** @type {string} */ key) {
    const order = this.#book.live(key);
    return this.#move(order, { ...this.#paid(order), status: 'pending', ...this.#swept(order) });
  }

  submit(/** @type {string} */ key) {
    const order = this.#book.live(key);
    return this.#move(order, { ...this.#paid(order), status: 'submitted', ...this.#swept(order) });
  }

  /** The recipient is paid; all earlier moves have happened by then. */
  fill(
    /** @type {string} */ key,
    /** @type {{ outRaw?: bigint, hasHashes?: boolean }} */ { outRaw, hasHashes = true } = {},
  ) {
    const order = this.#book.live(key);
    if (order.doom !== null) throw new Error(`Relay would not fill ${order.id}: ${order.doom}.`);
    const paid = order.paid ?? order.amountIn;
    const delivered = outRaw ?? (order.amountOut * paid) / order.amountIn;
    return this.#move(order, {
      ...this.#paid(order),
      ...this.#swept(order, hasHashes),
      status: 'success',
      delivered,
      fills: hasHashes ? [this.#tx(order.tokenOut.chainId)] : [],
    });
  }

  /** The money goes back, the payer's leg first; with a `refundFailReason` it cannot, which is a failure. */
  refund(/** @type {string} */ key, /** @type {Reasons} */ { reason, refundFailReason = null } = {}) {
    const order = this.#book.live(key);
    const failReason = reason ?? order.doom ?? order.failReason ?? 'UNKNOWN';
    if (refundFailReason !== null) return this.fail(key, { reason: failReason, refundFailReason });
    const { tokenIn } = order;
    const paid = order.paid ?? order.amountIn;
    const refunded = paid - rawFor(knownChain(tokenIn.chainId).fillMicroUsd, tokenIn);
    if (refunded <= 0n)
      return this.fail(key, { reason: failReason, refundFailReason: 'AMOUNT_TOO_LOW_TO_REFUND' });
    const legs = isDepositorRefund(order.refundTo, knownChain(tokenIn.chainId)) ? 2 : 1;
    const refunds = Array.from({ length: legs }, () => this.#tx(tokenIn.chainId));
    const ends = { status: 'refund', failReason, refundFailReason: null, refunded, refunds };
    return this.#move(order, { ...this.#paid(order), ...this.#swept(order), ...ends });
  }

  fail(
    /** @type {string} */ key,
    /** @type {Reasons} */ { reason = 'UNKNOWN', refundFailReason = null } = {},
  ) {
    const order = this.#book.live(key);
    const ends = { status: 'failure', failReason: reason, refundFailReason };
    return this.#move(order, { ...this.#paid(order), ...this.#swept(order), ...ends });
  }

  /** Relay's own action: it fills, or sends back money that it cannot fill. */
  settle(/** @type {string} */ key) {
    return this.#book.live(key).doom === null ? this.fill(key) : this.refund(key);
  }

  /** Any word of Relay's, known or not. */
  say(/** @type {string} */ key, /** @type {string} */ status) {
    return this.#move(this.#book.live(key), { status });
  }

  /** Changes an order's row from now on, in any way that Relay may choose. */
  reshape(/** @type {string} */ key, /** @type {Life['reshape']} */ reshape) {
    return this.#move(this.#book.live(key), { reshape });
  }

  /** @returns {Partial<Life>} */
  #paid(/** @type {Order} */ order) {
    return isPaid(order) ? {} : quotedDeposit(order, this.#now());
  }

  /** @returns {Partial<Life>} */
  #swept(/** @type {Order} */ order, hasHashes = true) {
    return order.sweeps.length > 0 || !hasHashes ? {} : { sweeps: [this.#tx(order.tokenIn.chainId)] };
  }

  /** @returns {Tx} */
  #tx(/** @type {number} */ chainId) {
    const timestamp = Math.floor(this.#now() / MS);
    return { txHash: newTxHash(knownChain(chainId).vmType), chainId, timestamp, status: 'success' };
  }

  #move(/** @type {Order} */ order, /** @type {Partial<Life>} */ change) {
    this.#book.change(order, this.#now(), change);
    this.#notify(order);
    return order.id;
  }

  #now() {
    return this.#options.clock.now().getTime();
  }
}
