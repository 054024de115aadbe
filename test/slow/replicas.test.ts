import { describe, expect, it } from '@jest/globals';

import { arrivalsAt, waitForStories } from '../support/published-events.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

/** Contract §7: a dead replica's work is taken over within 30 s. */
const TAKEN_OVER_MS = 30_000;

describe('a replica that is started on the database of a killed one', () => {
  it('takes over what that one had claimed and leased, within 30 s at the usual time-outs', async () => {
    const timeOuts = { PROVIDER_TIMEOUT_MS: '5000', WEBHOOK_TIMEOUT_MS: '15000' };
    const stage = await Stage.open();
    const doomed = await stage.start(timeOuts);
    await stage.addShop(doomed);
    const quoteIds = await stage.quotes(doomed, 10);
    const [delivering = '', polled = ''] = quoteIds;
    await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 1);
    stage.shop.answer((request) => (request.text.includes('DEPOSIT_RECEIVED') ? 'hang' : { status: 204 }));
    stage.say([delivering], 'DEPOSIT_RECEIVED');
    await stage.shop.waitFor(({ text }) => text.includes('DEPOSIT_RECEIVED'));
    stage.provider.fail('hang', polled);
    const asked = stage.provider.calls.polls(polled).length;
    await waitFor(() => stage.provider.calls.polls(polled).length > asked);
    await doomed.kill9();
    const killedAt = Date.now();
    stage.provider.recover();
    stage.shop.answer(() => ({ status: 204 }));
    stage.say(quoteIds, 'EXECUTING');
    const heir = await stage.start(timeOuts);
    stage.say([delivering], 'EXECUTING');
    const count = (id: string): number => (id === delivering ? 3 : 2);
    for (const id of quoteIds) {
      await waitForStories(() => arrivalsAt(stage.shop), [id], count(id), TAKEN_OVER_MS);
    }
    expect(Date.now() - killedAt).toBeLessThan(TAKEN_OVER_MS);
    const { sequence } = await jsonOf(await heir.fetch(`/api/payments/${delivering}`), 200);
    expect(sequence).toBe(3);
    const ids = arrivalsAt(stage.shop).filter(({ data }) => data.status === 'DEPOSIT_RECEIVED');
    expect(new Set(ids.map(({ id }) => id)).size).toBe(1);
  });
});
