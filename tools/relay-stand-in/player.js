// @ts-check
/** Timers that end with the stand-in. */
import { stepsOf } from './stories.js';

/** @typedef {import('./lives.js').Lives} Lives */
/** @typedef {import('./stories.js').Story} Story */

export class Player {
  /** @type {Map<NodeJS.Timeout, () => void>} */
  #waits = new Map();
  #isStopped = false;
  #lives;

  constructor(/** @type {Lives} */ lives) {
    this.#lives = lives;
  }

  /** Moves by the story's times, `speed` times as fast; settles at its end, or when all is stopped. */
  async play(
    /** @type {string} */ address,
    /** @type {Story} */ story,
    /** @type {bigint} */ amountIn,
    /** @type {number} */ speed,
  ) {
    for (const [afterMs, move] of stepsOf(story)) {
      await this.pause(afterMs / speed);
      if (this.#isStopped) return;
      move(this.#lives, address, amountIn);
    }
  }

  /** Cut short by `stop`. @returns {Promise<void>} */
  pause(/** @type {number} */ ms) {
    if (this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waits.delete(timer);
        resolve();
      }, ms);
      this.#waits.set(timer, resolve);
    });
  }

  stop() {
    this.#isStopped = true;
    for (const [timer, resolve] of this.#waits) {
      clearTimeout(timer);
      resolve();
    }
    this.#waits.clear();
  }
}
