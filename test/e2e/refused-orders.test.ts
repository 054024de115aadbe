import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import type { PublishedEvent } from '../support/published-events.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const PATIENCE_SECONDS = 4;
/** Retries all events of a refused order within seconds, so that the circuit opens soon. */
const ENV = {
  WEBHOOK_LANE_PATIENCE_SECONDS: String(PATIENCE_SECONDS),
  WEBHOOK_RETRY_SCHEDULE: '1s,1s,2s,2s,1h',
};

let stage: Stage;
let app: SharedService;
/** The orders that the shop refuses. */
const refused = new Set<string>();

beforeAll(async () => {
  stage = await Stage.open();
  app = await stage.startWarm(ENV);
  await stage.addShop(app);
  stage.shop.answer(({ json }) => {
    const { type, subject } = json as PublishedEvent;
    return refused.has(subject) && type !== 'payment.completed' ? { status: 500 } : { status: 204 };
  });
});

async function bad(count: number): Promise<string[]> {
  const quoteIds: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const quoteId = await stage.quote(app, { orderId: `bad-${refused.size}` });
    refused.add(quoteId);
    quoteIds.push(quoteId);
  }
  return quoteIds;
}

function timesOf(quoteId: string, type: string): number[] {
  return stage.shop.requests
    .filter(({ json }) => {
      const event = json as PublishedEvent;
      return event.subject === quoteId && event.type === type;
    })
    .map(({ at }) => at);
}

async function view(): Promise<Record<string, unknown>> {
  const { data } = await jsonOf(await app.fetch('/api/webhook-endpoints'), 200);
  return (data as Record<string, unknown>[])[0] ?? {};
}

describe('a shop that refuses some orders', () => {
  it('is told of their end when the patience is over, and not later', async () => {
    const [quoteId = ''] = await bad(1);
    for (const status of ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED']) {
      stage.say([quoteId], status);
      await waitFor(async () => (await stage.at([quoteId], status)).length === 1);
    }
    await waitFor(() => timesOf(quoteId, 'payment.completed').length > 0, { timeoutMs: 20_000 });
    const first = timesOf(quoteId, 'payment.created')[0] ?? 0;
    const waitedMs = (timesOf(quoteId, 'payment.completed')[0] ?? 0) - first;
    expect(waitedMs).toBeGreaterThan((PATIENCE_SECONDS - 1) * 1_000);
    expect(waitedMs).toBeLessThan((PATIENCE_SECONDS + 1) * 1_000);
  }, 60_000);

  it('is refusing, with the orders, once it has taken another', async () => {
    const good = await stage.quote(app, { orderId: 'good-1' });
    await waitFor(() => timesOf(good, 'payment.created').length > 0);
    await waitFor(async () => (await view())['state'] === 'refusing', { what: 'the state' });
    expect(await view()).toMatchObject({
      circuit: 'closed',
      refused: { payments: 1, since: expect.any(String), examples: [{ orderId: 'bad-0' }] },
    });
  });

  it('gets all others within 10 s, whatever it refuses and whether its circuit is open', async () => {
    await bad(20);
    await waitFor(async () => (await view())['circuit'] === 'open', { what: 'the circuit to open' });
    const good: { quoteId: string; at: number }[] = [];
    for (let n = 0; n < 4; n += 1) {
      const at = Date.now();
      good.push({
        quoteId: await stage.quote(app, { orderId: `good-${n + 2}` }),
        at,
      });
    }
    await waitFor(() => good.every(({ quoteId }) => timesOf(quoteId, 'payment.created').length > 0), {
      timeoutMs: 20_000,
    });
    for (const { quoteId, at } of good)
      expect((timesOf(quoteId, 'payment.created')[0] ?? Infinity) - at).toBeLessThan(10_000);
  }, 60_000);
});
