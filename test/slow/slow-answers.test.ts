import { describe, expect, it } from '@jest/globals';

import { Stage } from '../support/stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

/** Longer than a claim is held at first. */
const SLOW_MS = 6_000;

describe('a payment that the provider answers slowly beside many fast ones', () => {
  it('is recorded all the same, and not asked about again before its answer has come', async () => {
    const stage = await Stage.open();
    const app = await stage.start({ PROVIDER_TIMEOUT_MS: '15000' });
    const [slow = '', ...fast] = await stage.quotes(app, 20);
    stage.provider.slowDown(SLOW_MS, slow);
    stage.say([slow, ...fast], 'EXECUTING');
    await waitFor(async () => (await stage.at(fast, 'EXECUTING')).length === fast.length, {
      timeoutMs: 15_000,
    });
    await waitFor(async () => (await stage.at([slow], 'EXECUTING')).length === 1, { timeoutMs: 20_000 });
    const askedAt = stage.provider.calls.polls(slow);
    const gaps = askedAt.slice(1).map((at, index) => at - (askedAt[index] ?? 0));
    // The first may have been asked just before the provider became slow.
    for (const gap of gaps.slice(1)) expect(gap).toBeGreaterThanOrEqual(SLOW_MS);
    expect(await app.stop()).toBe(0);
  }, 60_000);
});
