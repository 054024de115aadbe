// @ts-check
/** Every request, found by its id, its address and the time of its change. */
import { isPaid } from './orders.js';
import { addressKey } from './tokens.js';

/** @typedef {import('./orders.js').Order} Order */
/** @typedef {import('./orders.js').Life} Life */

/** Stale entries of the log that are worth a clean-up. */
const MOST_STALE = 5_000;

export class OrderBook {
  /** @type {Map<string, Order>} */
  #byId = new Map();
  /** Oldest first. @type {Map<string, Order[]>} */
  #byAddress = new Map();
  /** Each change adds an entry; the last entry of an order counts. @type {{ order: Order, touch: number }[]} */
  #log = [];
  #touches = 0;
  /** Relay's own clock never goes back. */
  #lastAt = 0;

  add(/** @type {Order} */ order) {
    this.#byId.set(order.id, order);
    if (order.address !== null) {
      const key = addressKey(order.address);
      const neighbours = this.#byAddress.get(key);
      if (neighbours === undefined) this.#byAddress.set(key, [order]);
      else neighbours.push(order);
    }
    this.#enter(order, order.updatedAt);
    return order;
  }

  /** Changes an order at this time. */
  change(/** @type {Order} */ order, /** @type {number} */ at, /** @type {Partial<Life>} */ change) {
    Object.assign(order, change);
    this.#enter(order, at);
  }

  get size() {
    return this.#byId.size;
  }

  /** Null for an id that was never given. */
  byId(/** @type {string} */ id) {
    return this.#byId.get(id) ?? null;
  }

  /** Oldest first. @returns {readonly Order[]} */
  atAddress(/** @type {string} */ address) {
    return this.#byAddress.get(addressKey(address)) ?? [];
  }

  /** The request that shows the state of an address or of one request: the newest with a deposit, else the newest. */
  live(/** @type {string} */ key) {
    const named = this.byId(key);
    if (named !== null) return named;
    const orders = this.atAddress(key);
    const order = orders.findLast(isPaid) ?? orders.at(-1);
    if (order === undefined) throw new Error(`Relay knows no request and no deposit address ${key}.`);
    return order;
  }

  /** All orders that changed at or after this time, the latest first. @returns {Generator<Order>} */
  *changedSince(/** @type {number} */ sinceAt) {
    for (let index = this.#log.length - 1; index >= 0; index -= 1) {
      const entry = this.#log[index];
      if (entry === undefined || entry.order.touch !== entry.touch) continue;
      if (entry.order.updatedAt < sinceAt) return;
      yield entry.order;
    }
  }

  #enter(/** @type {Order} */ order, /** @type {number} */ at) {
    this.#touches += 1;
    this.#lastAt = Math.max(this.#lastAt, at);
    order.touch = this.#touches;
    order.updatedAt = this.#lastAt;
    this.#log.push({ order, touch: order.touch });
    if (this.#log.length > 2 * this.#byId.size + MOST_STALE) {
      this.#log = this.#log.filter(({ order, touch }) => order.touch === touch);
    }
  }
}
