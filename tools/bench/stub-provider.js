/** A provider in a process of its own: answers each poll, after a delay if asked to, and notes how far apart they come. */
import { FastProvider } from '../../build/tools/testkit/fast-provider.js';
import { answerParent } from './child.js';
import { percentile } from './figures.js';
import { reportText, STEPS } from './reports.js';

const provider = await FastProvider.start({ lastStep: STEPS.length - 1, report: reportText });

/** @typedef {{ changesPerS?: number, delayMs?: number, watch?: boolean, wantsGaps?: boolean }} Asked */
answerParent(provider.url, (/** @type {Asked} */ asked) => {
  if (asked.changesPerS !== undefined) provider.changeAtRate(asked.changesPerS);
  provider.delayMs = asked.delayMs ?? provider.delayMs;
  if (asked.watch === true) provider.watch();
  const { user, system } = process.cpuUsage();
  const { polls, changes, watched, gaps } = provider;
  const published = { polls, changes, cpuMs: (user + system) / 1_000, watched };
  return asked.wantsGaps === true ? { ...published, gaps: summary(gaps) } : published;
});

/** A quarter of a million numbers stay where they are. */
function summary(/** @type {number[]} */ gaps) {
  const longest = gaps.reduce((most, gap) => Math.max(most, gap), 0);
  return { count: gaps.length, p50: percentile(gaps, 0.5), p99: percentile(gaps, 0.99), longest };
}
