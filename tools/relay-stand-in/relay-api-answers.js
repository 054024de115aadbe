// @ts-check
/** The answers of each endpoint; the server handles faults, limits and keys. */
import { answer, invalid, KEY_MISSING, UNKNOWN_STATUS } from './answers.js';
import { chainsObject } from './chain-objects.js';
import { currenciesV1, currenciesV2 } from './currency-objects.js';
import { isPaid } from './orders.js';
import { orderOfQuote, quoteAnswer } from './quotes.js';
import { statusObject } from './request-object.js';
import { readRequests } from './requests-read.js';

/** @typedef {import('./answers.js').Answer} Answer */
/** @typedef {import('./lives.js').Lives} Lives */
/** @typedef {import('./options.js').RelayOptions} RelayOptions */
/** @typedef {import('./order-book.js').OrderBook} OrderBook */
/** @typedef {import('./orders.js').Order} Order */
/** @typedef {Record<string, unknown>} Json */
/**
 * @typedef {object} Asked
 * @property {string | null} apiKey
 * @property {Readonly<Record<string, string>>} query
 * @property {Json} body
 */
/** @typedef {{ book: OrderBook, lives: Lives, options: RelayOptions, notify: (order: Order) => void }} Relay */

export class RelayApiAnswers {
  /** The routes by method and path. @type {ReadonlyMap<string, (asked: Asked) => Answer | null>} */
  #routes;
  #relay;

  constructor(/** @type {Relay} */ relay) {
    this.#relay = relay;
    /** @type {[string, (asked: Asked) => Answer | null][]} */
    const routes = [
      ['POST /quote/v2', (asked) => this.#quote(asked)],
      ['GET /requests/v3', (asked) => this.#requests(asked)],
      ['GET /intents/status/v3', (asked) => this.#status(asked)],
      ['GET /deposit-addresses/v1', (asked) => this.#depositAddress(asked)],
      ['GET /chains', ({ query }) => answer(200, chainsObject(query['includeChains']))],
      ['POST /currencies/v1', ({ body }) => currenciesV1(body)],
      ['POST /currencies/v2', (asked) => this.#currencies(asked)],
    ];
    this.#routes = new Map(routes);
  }

  /** Null for a path that Relay does not have. */
  to(/** @type {string} */ route, /** @type {Asked} */ asked) {
    return this.#routes.get(route)?.(asked) ?? null;
  }

  #quote(/** @type {Asked} */ { body, apiKey }) {
    const { book, options, notify } = this.#relay;
    const order = orderOfQuote(body, apiKey, options);
    if (!('orderId' in order)) return order;
    book.add(order);
    notify(order);
    return quoteAnswer(order, body);
  }

  #requests(/** @type {Asked} */ { query, apiKey }) {
    if (apiKey === null) return KEY_MISSING;
    return readRequests(this.#relay.book, query, this.#relay.options.listsWaiting);
  }

  #status(/** @type {Asked} */ { query }) {
    const order = this.#relay.book.byId(query['requestId'] ?? '');
    if (order === null) return UNKNOWN_STATUS;
    const isSilent = !isPaid(order) && order.status === 'waiting' && !this.#relay.options.listsWaiting;
    return isSilent ? UNKNOWN_STATUS : answer(200, statusObject(order));
  }

  #depositAddress(/** @type {Asked} */ { query, apiKey }) {
    if (apiKey === null) return KEY_MISSING;
    const { address, requestId } = query;
    if (address === undefined && requestId === undefined)
      return invalid('querystring must have address or requestId');
    const { book } = this.#relay;
    const order = requestId === undefined ? (book.atAddress(address ?? '')[0] ?? null) : book.byId(requestId);
    if (order === null || order.address === null)
      return answer(404, { message: 'Deposit address not found' });
    return answer(200, {
      depositAddress: order.address,
      type: order.type,
      requestId: order.id,
      chainId: order.tokenIn.chainId,
      createdAt: new Date(order.createdAt).toISOString(),
      currency: order.tokenIn.address,
      refundTo: order.refundTo,
    });
  }

  #currencies(/** @type {Asked} */ { body }) {
    return this.#relay.options.hasCurrenciesV2 ? currenciesV2(body) : null;
  }
}
