/** The measurements of each service, for about half a minute, on a copy of its payments. */
import { pause } from '../pause.js';
import { residentMb } from '../proc.js';
import { changesOf } from './payments.js';
import { costs, measureWindow, memoryOf, snapshot, warm } from './window.js';

/** The share of each scene's payments that takes part: a small one makes a short trial. */
export const SCALE = Number(process.env['BENCH_BESIDE_SCALE'] ?? 1);
/** Open payments of `polls` and `hold`. */
const MANY = Number(process.env['BENCH_BESIDE_OPEN'] ?? 60_000);
const DEFAULT_INTERVAL_MS = 7_000;
/** The shortest interval with which Paybell polls money in flight without a lease longer than the interval. */
const FAST_MS = 2_900;
const FAST = { PROVIDER_TIMEOUT_MS: '1000', POLL_INTERVAL_MS: String(FAST_MS), POLL_MIN_GAP_MS: '0' };
const CONCURRENCY = 64;
const HOLD_CONCURRENCY = 1_500;
const HOLD_CHANGES_PER_S = 100;

const WINDOW_MS = 10_000;
const LONG_WINDOW_MS = 20_000;
const CHANGES_WITHIN_MS = 25_000;
/** The last changes wait for the polls of their payments, and do not measure the service. */
const COUNTED_SHARE = 0.9;
const ASK_EVERY_MS = 50;
/** PostgreSQL's processes publish their counters about once a second. */
const COUNTERS_SETTLE_MS = 1_200;
/** With fewer due payments, the service might be waiting for load. */
const LEAST_DUE = 1_000;

/**
 * @typedef {{
 *   place: import('./services.js').Place, service: import('./services.js').Service, database: string,
 *   running: import('./services.js').Running, provider: import('../child.js').Child,
 *   receiver: import('../child.js').Child, quoteIds: string[],
 * }} Run
 * @typedef {Record<string, number>} Measured
 * @typedef {{
 *   payments: number, baseline: { intervalMs: number, concurrency: number }, paybell: Record<string, string>,
 *   intervalMs: number, measure: (run: Run) => Promise<Measured>,
 * }} Scene
 */

/** @type {Record<string, Scene>} */
export const SCENES = {
  polls: {
    payments: scaled(MANY),
    intervalMs: FAST_MS,
    // The baselines have no lease, so that their load may be higher.
    baseline: { intervalMs: 1_000, concurrency: CONCURRENCY },
    paybell: FAST,
    measure: measurePolls,
  },
  changes: {
    payments: scaled(20_000),
    intervalMs: 2_000,
    baseline: { intervalMs: 1_000, concurrency: CONCURRENCY },
    paybell: { ...FAST, POLL_INTERVAL_MS: '2000' },
    measure: measureChanges,
  },
  steady: {
    payments: scaled(10_000),
    intervalMs: DEFAULT_INTERVAL_MS,
    baseline: { intervalMs: DEFAULT_INTERVAL_MS, concurrency: CONCURRENCY },
    paybell: {},
    measure: async (run) => {
      await warm(run);
      return measureWindow(run, LONG_WINDOW_MS);
    },
  },
  hold: {
    payments: scaled(MANY),
    intervalMs: DEFAULT_INTERVAL_MS,
    baseline: { intervalMs: DEFAULT_INTERVAL_MS, concurrency: HOLD_CONCURRENCY },
    paybell: { PROVIDER_MAX_CONCURRENCY: String(HOLD_CONCURRENCY) },
    measure: measureHold,
  },
};

function scaled(/** @type {number} */ payments) {
  return Math.round(payments * SCALE);
}

async function measurePolls(/** @type {Run} */ run) {
  await warm(run);
  const measured = await measureWindow(run, WINDOW_MS);
  const [row] = await run.place.server.queryIn(run.database, run.service.due);
  return { ...measured, isStarved: Number(row.due < LEAST_DUE) };
}

/** Answers come after 40 ms ± 50 %, and payments change all the time. */
async function measureHold(/** @type {Run} */ run) {
  await run.provider.ask({ delayMs: 40, delaySpread: 0.5, changesPerS: HOLD_CHANGES_PER_S });
  await warm(run);
  await pause(DEFAULT_INTERVAL_MS);
  await run.provider.ask({ watch: true });
  await run.receiver.ask({ wantsLatencies: true });
  const measured = await measureWindow(run, LONG_WINDOW_MS);
  const { gaps } = await run.provider.ask({ wantsGaps: true });
  const { latencies } = await run.receiver.ask({ wantsLatencies: true });
  return { ...measured, gapP99S: gaps.p99 / 1_000, latencyP99Ms: latencies.p99 };
}

/** Runs until the last change has arrived at both destinations, or the time is up. */
async function measureChanges(/** @type {Run} */ run) {
  await warm(run);
  const expected = run.quoteIds.reduce((sum, quoteId) => sum + changesOf(quoteId), 0);
  const before = await snapshot(run);
  await run.provider.ask({ changesPerS: Infinity });
  const samples = [];
  let [arrived, elapsedMs, rate] = [0, 0, 0];
  while (arrived < expected && elapsedMs < CHANGES_WITHIN_MS) {
    await pause(ASK_EVERY_MS);
    const isCounted = arrived < expected * COUNTED_SHARE;
    const { fresh } = await run.receiver.ask();
    arrived = Math.min(fresh, await run.place.broker.queued());
    elapsedMs = performance.now() - before.atMs;
    if (isCounted) rate = (arrived * 1_000) / elapsedMs;
    samples.push(residentMb(run.running.pid));
  }
  const { latencies } = await run.receiver.ask({ wantsLatencies: true });
  if (arrived >= expected) await pause(COUNTERS_SETTLE_MS);
  const after = await snapshot(run);
  return {
    rate,
    ...costs(before, after, arrived),
    ...memoryOf(run, samples),
    latencyP99Ms: latencies.p99,
  };
}
