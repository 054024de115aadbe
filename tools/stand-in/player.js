// @ts-check
/** Timers that end with the stand-in. */

/** @typedef {readonly [afterMs: number, move: () => unknown]} Step */

export class Player {
  /** @type {Map<NodeJS.Timeout, () => void>} */
  #waits = new Map();
  #isStopped = false;

  /** Makes each move at its time, `speed` times as fast; settles at the end, or when the player is stopped. */
  async play(/** @type {readonly Step[]} */ steps, /** @type {number} */ speed) {
    for (const [afterMs, move] of steps) {
      await this.pause(afterMs / speed);
      if (this.#isStopped) return;
      move();
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
