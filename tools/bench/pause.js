/** Waits that end with the benchmark: after Ctrl-C or its time limit the next pause throws, and the clean-up runs. */
import { setTimeout as sleep } from 'node:timers/promises';

const stopping = new AbortController();

export function stop(/** @type {string} */ reason) {
  stopping.abort(new Error(reason));
}

export async function pause(/** @type {number} */ ms) {
  await sleep(ms, undefined, { signal: stopping.signal }).catch(() => {
    throw stopping.signal.reason;
  });
}
