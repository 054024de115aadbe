/** Latencies at a steady rate of changes, from the provider's answer, before the commit, to the arrival somewhere. */
import { pause } from './pause.js';
import { onScene } from './scene.js';

const CHANGES_PER_S = 200;
/** This interval makes 1,000 polls a second, of which one in five finds a change. */
const PAYMENTS = 4_000;
const INTERVAL_MS = 4_000;
const SETTINGS = {
  PROVIDER_TIMEOUT_MS: '1000',
  POLL_INTERVAL_MS: String(INTERVAL_MS),
  POLL_MIN_GAP_MS: '0',
};
const WARM_UP_MS = 10_000;
const WINDOWS = 5;
const WINDOW_MS = 4_000;

/**
 * The latencies in milliseconds, window by window. `arrivalsOf` names the process with the latencies of new arrivals.
 * @param {import('./scene.js').Place} place
 * @param {(scene: import('./scene.js').Scene) => import('./child.js').Child} arrivalsOf
 * @param {Record<string, string>} [more] Settings of Paybell.
 * @param {(paybell: import('./paybell.js').Paybell) => Promise<unknown>} [prepare] Runs before the measurement.
 * @returns {Promise<number[][]>}
 */
export function steadyWindows(place, arrivalsOf, more = {}, prepare = async () => undefined) {
  return onScene(place, { ...SETTINGS, ...more }, async (scene) => {
    const arrivals = arrivalsOf(scene);
    await prepare(scene.paybell);
    await scene.database.addPayments(PAYMENTS, INTERVAL_MS);
    await scene.provider.ask({ changesPerS: CHANGES_PER_S });
    await pause(WARM_UP_MS);
    await arrivals.ask();
    const windows = [];
    for (let window = 0; window < WINDOWS; window += 1) {
      await pause(WINDOW_MS);
      windows.push((await arrivals.ask()).latencies);
    }
    return windows;
  });
}

/** Changes a second that arrived. @param {number[][]} windows */
export function changeRateOf(windows) {
  return (windows.flat().length * 1_000) / (WINDOWS * WINDOW_MS);
}
