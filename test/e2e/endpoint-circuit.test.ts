import { beforeAll, describe, expect, it } from '@jest/globals';

import type { AppProcess } from '../support/app-process.ts';
import { HttpReceiver } from '../support/http-receiver.ts';
import { Stage } from '../support/stage.ts';
import { arrivalsAt, firstArrivals, storyOf, waitForStories } from '../support/told-events.ts';
import { waitFor } from '../support/wait-for.ts';

const PAYMENTS = 30;
const TYPES = ['payment.created', 'payment.completed'];

let stage: Stage;
let app: AppProcess;
let second: AppProcess;
let other: HttpReceiver;

beforeAll(async () => {
  stage = await Stage.open();
  other = await HttpReceiver.start();
  app = await stage.start();
  second = await stage.start();
  await stage.addShop(app);
  await stage.addShop(app, `${other.url}/other-shop`);
});

/** What the 30 s until a probe would bring about. */
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

    // Whatever was on its way when the circuit opened has arrived once the other shop has all that comes after it.
    stage.say(quoteIds, 'COMPLETED');
    await waitForStories(() => arrivalsAt(other), quoteIds, 2);
    const before = stage.shop.requests.length;
    await letTimePass();
    await waitFor(() => stage.shop.requests.length > before, { what: 'a probe' });
    const later = await stage.quotes(app, 2);
    await waitForStories(() => arrivalsAt(other), later, 1);
    expect(stage.shop.requests.length).toBe(before + 1);

    let inFlight = 0;
    let most = 0;
    stage.shop.answer(() => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      setTimeout(() => (inFlight -= 1), 100);
      return { status: 204, delayMs: 100 };
    });
    await letTimePass();
    await waitFor(() => logged('answers again').length > 0, { what: 'the endpoint to recover' });
    expect(most).toBe(1);
    await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 2, 30_000);
    expect(logged('answers again')).toHaveLength(1);
    expect(firstArrivals(arrivalsAt(stage.shop).filter(({ subject }) => quoteIds.includes(subject)))).toEqual(
      storyOf(quoteIds, TYPES),
    );
    await other.close();
  }, 90_000);
});
