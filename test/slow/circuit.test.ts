import { describe, expect, it } from '@jest/globals';

import { jsonOf } from '../support/stage.ts';
import { ONLY_PROBES, providerOutages } from '../support/suites/provider-outages.ts';
import { passed, TrackingScene } from '../support/tracking-scene.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

providerOutages(
  [
    ['refuses connections', (stage) => stage.provider.down()],
    ['never answers', (stage) => stage.provider.fail('hang')],
  ],
  5_000,
);

describe('an outage longer than a payment may be silent', () => {
  it('is published once for each open payment, one made meanwhile too, and ends none of them', async () => {
    const scene = await TrackingScene.open(12, { STALLED_AFTER_SECONDS: '3' });
    const { stage, apps, quoteIds } = scene;
    stage.provider.setStatus(quoteIds[0] ?? '', { expiresAt: Math.floor(Date.now() / 1_000) - 60 });
    await scene.rounds(1);
    for (const id of quoteIds) stage.provider.fail({ status: 500 }, id);
    await scene.awaitHealth(ONLY_PROBES);
    const late = await stage.quote(apps[1]);
    stage.provider.fail({ status: 500 }, late);
    const isReported = async (): Promise<boolean> =>
      [...(await scene.toldOfAll()), await scene.published(late)].every((published) =>
        published.includes('stalled provider_silent'),
      );
    await waitFor(isReported, { timeoutMs: 25_000, everyMs: 200, what: 'provider_silent of each payment' });
    await passed(Date.now(), 4_000);
    const silent = ['created', 'stalled provider_silent'];
    expect([...(await scene.toldOfAll()), await scene.published(late)]).toEqual(
      [late, ...quoteIds].map(() => silent),
    );
    for (const id of quoteIds) {
      const shown = await jsonOf(await apps[0].fetch(`/api/payments/${id}`), 200);
      expect(shown).toMatchObject({ status: 'AWAITING_DEPOSIT', tracking: 'active' });
    }
    stage.say([...quoteIds, late], 'COMPLETED');
    stage.provider.recover();
    await scene.awaitStatus('COMPLETED', [...quoteIds, late]);
    expect(await scene.toldOfAll()).toEqual(quoteIds.map(() => [...silent, 'completed']));
    await scene.close();
  }, 90_000);
});
