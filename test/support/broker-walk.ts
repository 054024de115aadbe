import { arrivalsAt, waitForStories } from './published-events.ts';
import type { Stage } from './stage.ts';

/** A reconnect waits up to 30 s after several failures in a row. */
export const CATCH_UP_MS = 40_000;

const STATUSES = ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'];

/** Moves all payments through their statuses; webhooks must not wait for the broker. */
export async function walkWithWebhooks(
  stage: Stage,
  quoteIds: readonly string[],
  disturb = async () => {},
): Promise<void> {
  for (const [index, status] of STATUSES.entries()) {
    stage.say(quoteIds, status);
    await disturb();
    await waitForStories(() => arrivalsAt(stage.shop), quoteIds, index + 2);
  }
}
