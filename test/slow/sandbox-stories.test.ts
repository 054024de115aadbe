import { beforeAll, describe, it } from '@jest/globals';

import type { AppProcess } from '../support/app-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { readStories } from '../support/story-table.ts';
import { SANDBOX } from '../support/suites/sandbox-stories.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const LONGEST_MS = 120_000;
const START_MS = 90_000;
/** The test does not wait longer than this for events, such as the end of an hour's execution after a stall. */
const TOLD_SOON_S = 1_800;
const STORIES = (await readStories()).map(({ name, amount, words, seconds }, index) => ({
  index,
  name,
  amount,
  words: words.filter((_word, at) => (seconds[at] ?? 0) < TOLD_SOON_S),
}));

describe('the stories of the sandbox at the highest speed, polled by two replicas, as often as usual', () => {
  const settings = { ...SANDBOX, SANDBOX_SPEED: '50' };
  let stage: Stage;
  let app: AppProcess;
  let ids: readonly string[];

  beforeAll(async () => {
    stage = await Stage.open();
    app = await stage.start(settings);
    await stage.addShop(app);
    ids = await Promise.all(STORIES.map(({ amount }) => stage.quote(app, { amount })));
    await stage.start(settings);
    const unseen = ids[STORIES.findIndex(({ name }) => name === 'unseen_deposit')] ?? '';
    await waitFor(async () => (await stage.at([unseen], 'EXPIRED')).length === 1);
    const body = { txHash: `0x${'5a'.repeat(32)}` };
    await jsonOf(await app.fetch(`/api/payments/${unseen}/deposit`, { method: 'POST', body }), 202);
  }, START_MS);

  it.each(STORIES)(
    '$name: $words',
    async ({ index, words }) => {
      // Waits for exactly these events, in this order and without a gap.
      await stage.published(app, ids[index] ?? '', words, LONGEST_MS);
    },
    LONGEST_MS + 5_000,
  );
});
