import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { jsonOf } from '../support/stage.ts';
import {
  expectTold,
  LONGEST_MS,
  notify,
  SANDBOX,
  STORIES,
  storiesPolled,
} from '../support/suites/sandbox-stories.ts';

storiesPolled('by two replicas, as often as usual', {}, 2);
storiesPolled('every 40 s of its time', { POLL_INTERVAL_MS: '40000' }, 1);

describe('the stories of the sandbox', () => {
  it(
    'skip nothing when Paybell is killed in the middle of them, and end where they end',
    async () => {
      // On a busy machine the restarts alone take longer than a stall: another test covers that.
      const patient = { STALLED_AFTER_SECONDS: '86400' };
      const stories = STORIES.filter(({ words }) => !words.includes('stalled no_progress'));
      const { stage, ids, ...first } = await notify(stories, patient);
      let { app } = first;
      for (let kills = 0; kills < 3; kills += 1) {
        await sleep(1_000);
        await app.kill9();
        app = await stage.start({ ...SANDBOX, ...patient });
      }
      for (const [index, story] of stories.entries()) await expectTold(stage, app, ids[index] ?? '', story);
      const shown = async (digits: string) => {
        const index = stories.findIndex(({ amount }) => amount === `1.${digits}`);
        return jsonOf(await app.fetch(`/api/payments/${ids[index] ?? ''}`), 200);
      };
      expect(await shown('50')).toMatchObject({ status: 'COMPLETED', tracking: 'closed', late: false });
      expect(await shown('01')).toMatchObject({
        status: 'FAILED',
        tracking: 'watching',
        report: { error: expect.any(String) },
      });
      expect(await shown('02')).toMatchObject({ status: 'EXPIRED', tracking: 'watching' });
      expect(await shown('03')).toMatchObject({ status: 'COMPLETED', tracking: 'closed', late: true });
      const note = ((await shown('50'))['quote'] as { depositNote: string }).depositNote;
      expect(note).toMatch(/^SANDBOX - do not send funds\./);
      expect(stage.provider.requests).toHaveLength(0);
    },
    LONGEST_MS + 30_000,
  );
});
