// @ts-check
/** Relay as its fact sheet describes it: an HTTP server whose payments move when the test says so. */
import { Faults } from '../stand-in/faults.js';
import { StandInServer } from '../stand-in/http-server.js';
import { answer, invalid } from './answers.js';
import { FAULT_ANSWERS } from './fault-answers.js';
import { Lives } from './lives.js';
import { NoticeSender, postNotice } from './notice-sender.js';
import { noticeBody } from './notices.js';
import { withDefaults } from './options.js';
import { OrderBook } from './order-book.js';
import { RelayApiAnswers } from './relay-api-answers.js';
import { bucketOf, RequestLimits } from './request-limits.js';
import { requestObject } from './request-object.js';

/** @typedef {import('./answers.js').Answer} Answer */
/** @typedef {import('./deposits.js').Deposit} Deposit */
/** @typedef {import('../stand-in/faults.js').Fault} Fault */
/** @typedef {import('../stand-in/http-server.js').Call} Call */
/** @typedef {import('./lives.js').Reasons} Reasons */
/** @typedef {import('./notice-sender.js').SenderOptions} SenderOptions */
/** @typedef {import('./notices.js').NoticeOptions} NoticeOptions */
/** @typedef {import('./options.js').RelayOptions} RelayOptions */
/** @typedef {import('./orders.js').Order} Order */

/** Relay promises no `retry-after`. */
const TOO_MANY = answer(429, { message: 'Too many requests' });

export class RelayStandIn {
  /** Every request that came, in order. @type {Call[]} */
  requests = [];
  /** The base URL. */
  url = '';
  /** May be changed at any time. @type {RelayOptions} */
  options;
  #book = new OrderBook();
  #faults = new Faults();
  #limits = new RequestLimits();
  /** @type {NoticeSender | null} */
  #notices = null;
  /** The moves; each takes a deposit address or a request id. @type {Lives} */
  lives;
  #api;
  #server;

  constructor(/** @type {RelayOptions} */ options) {
    this.options = options;
    const notify = (/** @type {Order} */ order) => this.#notices?.send(order, this.#now().getTime());
    this.lives = new Lives(this.#book, options, notify);
    this.#api = new RelayApiAnswers({ book: this.#book, lives: this.lives, options, notify });
    this.#server = new StandInServer(
      (call) => this.#respond(call),
      () => this.#now(),
      FAULT_ANSWERS,
    );
  }

  static async start(/** @type {Partial<RelayOptions> & { apiKey: string }} */ options) {
    const standIn = new RelayStandIn(withDefaults(options));
    standIn.url = await standIn.#server.open();
    return standIn;
  }

  /** Ends its notices and connections. */
  async close() {
    this.#notices?.stop();
    await this.#server.close();
  }

  /** Refuses connections until `up`; its payments stay. */
  async down() {
    await this.#server.close();
  }

  async up() {
    await this.#server.open();
  }

  /** How many requests were answered 429, by the kind of limit. */
  get tooMany() {
    return { ...this.#limits.tooMany };
  }

  /** How many requests of Relay's there are. */
  get size() {
    return this.#book.size;
  }

  /** The row of `/requests/v3` with the state of an address or a request. */
  row(/** @type {string} */ key) {
    return requestObject(this.#book.live(key));
  }

  /** Makes the next `times` requests fail in this way (all, unless stated), at one endpoint or at all of them. */
  fault(
    /** @type {Fault} */ kind,
    /** @type {{ times?: number, path?: string, delayMs?: number }} */ plan = {},
  ) {
    this.#faults.add(kind, plan);
  }

  /** All faults are over. */
  recover() {
    this.#faults.clear();
  }

  /** Sends one notice of the present state of a request; returns the HTTP status, or 0 without an answer. */
  notify(
    /** @type {string} */ url,
    /** @type {string} */ key,
    /** @type {Partial<NoticeOptions>} */ options = {},
  ) {
    const order = this.#book.live(key);
    const at = options.at ?? this.#now();
    return postNotice(url, noticeBody(order, at.getTime()), { key: this.options.apiKey, at, ...options });
  }

  /** Sends each later change to this URL; returns the sender, which knows when everything is delivered. */
  notifyEach(/** @type {string} */ url, /** @type {SenderOptions} */ options = {}) {
    this.#notices?.stop();
    this.#notices = new NoticeSender(url, { key: this.options.apiKey, ...options });
    return this.#notices;
  }

  #respond(/** @type {Call} */ call) {
    this.requests.push(call);
    const { apiKey, path, method } = call;
    const bucket = bucketOf(path);
    if (!this.#limits.take(bucket, apiKey, this.options.limits, this.#now().getTime())) {
      return { answer: TOO_MANY, fault: null };
    }
    return { answer: this.#answer(`${method} ${path}`, call), fault: this.#faults.next(path) };
  }

  /** @returns {Answer} */
  #answer(/** @type {string} */ route, /** @type {Call} */ call) {
    const { apiKey, query, body } = call;
    if (apiKey !== null && apiKey !== this.options.apiKey) {
      const word = route === 'POST /quote/v2' ? 'errorCode' : 'code';
      return answer(401, { message: 'Invalid api key', [word]: 'UNAUTHORIZED' });
    }
    if (route.startsWith('POST') && !isObject(body)) return invalid('body must be object');
    const asked = { apiKey, query, body: isObject(body) ? body : {} };
    return (
      this.#api.to(route, asked) ?? answer(404, { message: `Route ${route} not found`, error: 'Not Found' })
    );
  }

  #now() {
    return this.options.clock.now();
  }
}

/** @returns {value is Record<string, unknown>} */
function isObject(/** @type {unknown} */ value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
