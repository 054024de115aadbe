// @ts-check
/** Sends a notice of every change, like Relay: repeats a refused one up to ten times. */
import { setTimeout as pause } from 'node:timers/promises';

import { request } from 'undici';

import { noticeBody, signedNotice } from './notices.js';

/** @typedef {import('./notices.js').NoticeOptions} NoticeOptions */
/** @typedef {import('./orders.js').Order} Order */
/** @typedef {Partial<NoticeOptions> & { copies?: number, isShuffled?: boolean }} SenderOptions */

const MOST_RETRIES = 10;
const FIRST_RETRY_MS = 1_000;
/** By how much the notices of a burst are shuffled. */
const SHUFFLE_SPREAD_MS = 50;
const TIMEOUT_MS = 5_000;

export class NoticeSender {
  /** All answers by HTTP status; 0: there was none. @type {number[]} */
  answers = [];
  /** @type {Set<Promise<void>>} */
  #running = new Set();
  #url;
  #options;
  #isStopped = false;

  constructor(/** @type {string} */ url, /** @type {SenderOptions & { key: string }} */ options) {
    this.#url = url;
    this.#options = options;
  }

  /** Sends the request's present state. */
  send(/** @type {Order} */ order, /** @type {number} */ at) {
    const { copies = 1 } = this.#options;
    if (order.status === 'waiting') return;
    const body = noticeBody(order, at);
    for (let copy = 0; copy < copies; copy += 1) {
      const running = this.#deliver(body).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  /** Resolves once each notice sent before is taken or given up. */
  async settled() {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  stop() {
    this.#isStopped = true;
  }

  async #deliver(/** @type {object} */ body) {
    if (this.#options.isShuffled === true) await pause(Math.random() * SHUFFLE_SPREAD_MS);
    for (let retry = 0; retry <= MOST_RETRIES && !this.#isStopped; retry += 1) {
      const status = await postNotice(this.#url, body, this.#options);
      this.answers.push(status);
      if (status >= 200 && status < 300) return;
      await pause(FIRST_RETRY_MS * 2 ** retry, undefined, { ref: false });
    }
  }
}

/** Posts one notice; returns the HTTP status, or 0 without an answer. */
export async function postNotice(
  /** @type {string} */ url,
  /** @type {object} */ body,
  /** @type {NoticeOptions} */ options,
) {
  const notice = signedNotice(body, options);
  try {
    // Not `fetch`, which writes every header's name in lower case.
    const answer = await request(url, {
      method: 'POST',
      ...notice,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    await answer.body.dump();
    return answer.statusCode;
  } catch {
    return 0;
  }
}
