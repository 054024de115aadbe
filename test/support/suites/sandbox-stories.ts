import { beforeAll, describe, it } from '@jest/globals';

import type { PaybellService } from '../../../tools/testkit/paybell-process.ts';
import { Stage } from '../stage.ts';
import { readStories, type PublishedStory } from '../story-table.ts';

const USUAL_POLLING = { POLL_INTERVAL_MS: '7000', POLL_MIN_GAP_MS: '5000' };
/** Fast enough for a test; the polling runs as much faster as the stories. */
export const SANDBOX = { PROVIDER: 'sandbox', SANDBOX_SPEED: '20', ...USUAL_POLLING };
export const LONGEST_MS = 120_000;
const START_MS = 90_000;
/** Nobody waits for what comes more than a quarter of an hour after the stall: the end of an hour's execution. */
const TOLD_SOON_S = 1_800;
export const STORIES = (await readStories()).map(({ amount, words, seconds }): PublishedStory => ({
  amount,
  words: words.filter((_word, index) => (seconds[index] ?? 0) < TOLD_SOON_S),
  seconds,
}));

/** A Paybell in its sandbox, with a shop that gets each of these stories. */
export async function notify(stories: readonly PublishedStory[], settings: Record<string, string>) {
  const stage = await Stage.open();
  const app = await stage.start({ ...SANDBOX, ...settings });
  await stage.addShop(app);
  const ids = await Promise.all(stories.map(({ amount }) => stage.quote(app, { amount })));
  return { stage, app, ids };
}

/** Exactly these events, in this order, without a gap. */
export async function expectTold(
  stage: Stage,
  app: PaybellService,
  id: string,
  { words }: PublishedStory,
): Promise<void> {
  await stage.published(app, id, words, LONGEST_MS);
}

/** The stories at the highest speed, polled so by so many replicas. */
export function storiesPolled(how: string, polling: Record<string, string>, replicas: number): void {
  describe(`the stories of the sandbox at the highest speed, polled ${how}`, () => {
    const settings = { SANDBOX_SPEED: '50', ...polling };
    let published: Awaited<ReturnType<typeof notify>>;

    beforeAll(async () => {
      published = await notify(STORIES, settings);
      if (replicas > 1) await published.stage.start({ ...SANDBOX, ...settings });
    }, START_MS);

    it.each(STORIES.map((story, index) => ({ index, ...story })))(
      '$amount: $words',
      async ({ index, ...story }) =>
        expectTold(published.stage, published.app, published.ids[index] ?? '', story),
      LONGEST_MS + 5_000,
    );
  });
}
