/** A provider in its own process: answers each poll, after a delay if requested, and notes the gaps between polls. */
import { randomUUID } from 'node:crypto';

import { FastProvider } from '../../build/tools/testkit/fast-provider.js';
import { CHAINS, quoteObject } from '../../build/tools/testkit/provider-objects.js';
import { firstStepOf, mixedReportText } from './beside/payments.js';
import { COMPLETES_AFTER_MS } from './chain.js';
import { answerParent } from './child.js';
import { percentile } from './figures.js';
import { reportText, STEPS } from './reports.js';

const chains = JSON.stringify({ success: true, chains: CHAINS });
const lastStep = STEPS.length - 1;
/** With `completing`: when each quote completes. @type {Map<string, number>} */
const completesAt = new Map();
const isCompleting = process.argv.includes('completing');
/** With `mixed`, payments of every class are open from the start. */
const provider = await FastProvider.start(
  process.argv.includes('mixed')
    ? { lastStep, report: mixedReportText, firstStep: firstStepOf, other }
    : { lastStep, report: isCompleting ? completingText : reportText, other },
);

/** @typedef {{ changesPerS?: number, delayMs?: number, delaySpread?: number, watch?: boolean, wantsGaps?: boolean }} Asked */
answerParent(provider.url, (/** @type {Asked} */ asked) => {
  if (asked.changesPerS !== undefined) provider.changeAtRate(asked.changesPerS);
  provider.delayMs = asked.delayMs ?? provider.delayMs;
  provider.delaySpread = asked.delaySpread ?? provider.delaySpread;
  if (asked.watch === true) provider.watch();
  const { user, system } = process.cpuUsage();
  const { polls, changes, watched, gaps } = provider;
  const published = { polls, changes, cpuMs: (user + system) / 1_000, watched };
  return asked.wantsGaps === true ? { ...published, gaps: summary(gaps) } : published;
});

/** Does not copy the list, which may have a quarter of a million numbers. */
function summary(/** @type {number[]} */ gaps) {
  const longest = gaps.reduce((most, gap) => Math.max(most, gap), 0);
  return { count: gaps.length, p50: percentile(gaps, 0.5), p99: percentile(gaps, 0.99), longest };
}

function completingText(/** @type {string} */ quoteId) {
  const isDone = (completesAt.get(quoteId) ?? Infinity) <= performance.now();
  return reportText(quoteId, isDone ? lastStep : 0);
}

function other(/** @type {string} */ path) {
  if (path === '/api/chains') return chains;
  if (path !== '/api/quote') return null;
  const quoteId = randomUUID();
  if (isCompleting) completesAt.set(quoteId, performance.now() + COMPLETES_AFTER_MS);
  return JSON.stringify(quoteObject(quoteId));
}
