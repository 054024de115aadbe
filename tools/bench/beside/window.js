/** The work and the cost of a service between two moments. */
import { median } from '../figures.js';
import { pause } from '../pause.js';
import { cpuMs, peakMb, residentMb } from '../proc.js';

/** All payments but the expired ones, and a few that are just being polled. */
const WARM_SHARE = 0.96;
const WARM_WITHIN_MS = 30_000;
const ASK_EVERY_MS = 50;
const SAMPLE_MS = 1_000;

/** @typedef {import('./scenes.js').Run} Run */

/** The first poll of a payment costs more than later ones: each payment has its first poll before the measurement. */
export async function warm(/** @type {Run} */ { provider, quoteIds }) {
  await provider.ask({ watch: true });
  const until = performance.now() + WARM_WITHIN_MS;
  while (performance.now() < until) {
    await pause(ASK_EVERY_MS);
    const { watched } = await provider.ask();
    if (watched >= quoteIds.length * WARM_SHARE) return;
  }
}

/** The polls a second, and the cost of each. */
export async function measureWindow(/** @type {Run} */ run, /** @type {number} */ windowMs) {
  const before = await snapshot(run);
  const samples = [];
  for (let sampledMs = 0; sampledMs < windowMs; sampledMs += SAMPLE_MS) {
    await pause(SAMPLE_MS);
    samples.push(residentMb(run.running.pid));
  }
  const after = await snapshot(run);
  const polls = after.polls - before.polls;
  const rate = (polls * 1_000) / (after.atMs - before.atMs);
  return { rate, ...costs(before, after, polls), ...memoryOf(run, samples) };
}

/** @typedef {Awaited<ReturnType<typeof snapshot>>} Snapshot */
/** All counters, at one moment. */
export async function snapshot(/** @type {Run} */ { place, database, running, provider }) {
  const [counters, { polls }] = await Promise.all([place.server.counters(database), provider.ask()]);
  return { ...counters, polls, processMs: cpuMs(running.pid), atMs: performance.now() };
}

/** The cost of each of `count` polls or changes. @param {Snapshot} before @param {Snapshot} after @param {number} count */
export function costs(before, after, count) {
  const each = (/** @type {keyof Snapshot} */ what) => (after[what] - before[what]) / count;
  return {
    processUs: each('processMs') * 1_000,
    postgresUs: each('postgresMs') * 1_000,
    cores: (after.processMs - before.processMs) / (after.atMs - before.atMs),
    statements: each('statements'),
    commits: each('commits'),
    written: each('written'),
    wal: each('wal'),
  };
}

/** @param {Run} run @param {number[]} samples */
export function memoryOf({ running }, samples) {
  return { residentMb: median(samples), peakMb: peakMb(running.pid) };
}
