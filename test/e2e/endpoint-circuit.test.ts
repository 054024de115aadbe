import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { Stage } from '../support/stage.ts';
import { arrivalsAt, firstArrivals, storyOf, waitForStories } from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const PAYMENTS = 30;
const TYPES = ['payment.created', 'payment.completed'];

let stage: Stage;
let app: SharedService;
let second: SharedService;
let other: HttpReceiver;

beforeAll(async () => {
  stage = await Stage.open();
  other = await HttpReceiver.start();
  app = await stage.startWarm();
  second = await stage.startWarm();
  await stage.addShop(app);
  await stage.addShop(app, `${other.url}/other-shop`);
});

/** Makes the probe due, for which a test would wait 30 s. */
async function letTimePass(): Promise<void> {
  await stage.database.query(`UPDATE endpoint_circuit SET probe_at = now()`);
}

function logged(words: string): string[] {
  return [...app.lines, ...second.lines].filter((line) => line.includes(words));
}

describe('an endpoint that fails ten times in a row', () => {
  it('is only probed, by one replica; the first success lets everything out in order, gradually', async () => {
    stage.shop.answer(() => ({ status: 503 }));
    const quoteIds = await stage.quotes(app, PAYMENTS);
    await waitFor(() => logged('ten times in a row').length > 0, { what: 'the circuit to open' });
    expect(logged('ten times in a row')).toHaveLength(1);

    // Once the other shop has all later events, every attempt that was in flight when the circuit opened has arrived.
    stage.say(quoteIds, 'COMPLETED');
    await waitForStories(() => arrivalsAt(other), quoteIds, 2);
    const before = stage.shop.requests.length;
    await letTimePass();
    await waitFor(() => stage.shop.requests.length > before, { what: 'a probe' });
    const later = await stage.quotes(app, 2);
    await waitForStories(() => arrivalsAt(other), later, 1);
    expect(stage.shop.requests.length).toBe(before + 1);

    let isAnswered = false;
    let untilAnswered = 0;
    stage.shop.answer(() => {
      if (!isAnswered) untilAnswered += 1;
      setTimeout(() => (isAnswered = true), 100);
      return { status: 204, delayMs: 100 };
    });
    await letTimePass();
    await waitFor(() => logged('answers again').length > 0, { what: 'the endpoint to recover' });
    // The later deliveries come as soon as the first answer has come.
    expect(untilAnswered).toBe(1);
    await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 2);
    expect(logged('answers again')).toHaveLength(1);
    expect(firstArrivals(arrivalsAt(stage.shop).filter(({ subject }) => quoteIds.includes(subject)))).toEqual(
      storyOf(quoteIds, TYPES),
    );
    await other.close();
  });
});
