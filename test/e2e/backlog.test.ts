import { describe, expect, it } from '@jest/globals';

import { Stage } from '../support/stage.ts';
import { StatusRequests } from '../support/status-requests.ts';
import { passed } from '../support/tracking-scene.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

describe('a downtime of Paybell', () => {
  it('leaves a backlog that is spread over an interval, not fired, without any limit set', async () => {
    const [INTERVAL, GAP] = [2_000, 1_000];
    const stage = await Stage.open();
    const settings = { POLL_INTERVAL_MS: String(INTERVAL), POLL_MIN_GAP_MS: String(GAP) };
    const requests = new StatusRequests(stage.provider);
    const doomed = await stage.start(settings);
    const quoteIds: string[] = [];
    for (let batch = 0; batch < 10; batch += 1) quoteIds.push(...(await stage.quotes(doomed, 30)));
    await waitFor(() => requests.isRound(quoteIds, 0), { timeoutMs: 20_000 });
    await doomed.kill9();
    await passed(Date.now(), 3 * INTERVAL);
    stage.say(quoteIds, 'EXECUTING');
    const startedAt = Date.now();
    const heir = await stage.start(settings);
    await waitFor(() => requests.isRound(quoteIds, startedAt), { timeoutMs: 20_000 });
    const polls = quoteIds.map((id) => stage.provider.calls.polls(id).find((at) => at >= startedAt) ?? 0);
    expect(requests.busiest(100, startedAt)).toBeLessThanOrEqual(quoteIds.length / 4);
    expect(Math.max(...polls) - Math.min(...polls)).toBeLessThan(3 * INTERVAL);
    expect(requests.shortestGap(quoteIds)).toBeGreaterThanOrEqual(GAP * 0.75);
    await waitFor(async () => (await stage.at(quoteIds, 'EXECUTING')).length === quoteIds.length);
    await heir.stop();
  }, 90_000);
});
