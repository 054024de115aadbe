/** A provider in a process of its own: each of its quotes completes a few seconds after it was made; other payments stay as they are. */
import { randomUUID } from 'node:crypto';

import { FastProvider } from '../../build/tools/testkit/fast-provider.js';
import { CHAINS, quoteObject } from '../../build/tools/testkit/provider-objects.js';
import { COMPLETES_AFTER_MS } from './chain.js';
import { answerParent } from './child.js';
import { reportText, STEPS } from './reports.js';

const chains = JSON.stringify({ success: true, chains: CHAINS });
const lastStep = STEPS.length - 1;
/** When each of its quotes completes. @type {Map<string, number>} */
const completesAt = new Map();

const provider = await FastProvider.start({
  lastStep,
  report(quoteId) {
    const isDone = (completesAt.get(quoteId) ?? Infinity) <= performance.now();
    return reportText(quoteId, isDone ? lastStep : 0);
  },
  other(path) {
    if (path === '/api/chains') return chains;
    if (path !== '/api/quote') return null;
    const quoteId = randomUUID();
    completesAt.set(quoteId, performance.now() + COMPLETES_AFTER_MS);
    return JSON.stringify(quoteObject(quoteId));
  },
});

answerParent(provider.url, () => ({ polls: provider.polls }));
