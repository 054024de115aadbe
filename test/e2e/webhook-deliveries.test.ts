import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

type Json = Record<string, unknown>;

let stage: Stage;
let app: SharedService;

beforeAll(async () => {
  stage = await Stage.open();
  app = await stage.startWarm({ WEBHOOK_RETRY_SCHEDULE: '1h,1h,1h' });
});

async function ask(method: string, path: string, status = 200): Promise<Json> {
  return jsonOf(await app.fetch(`/api/webhook-deliveries${path}`, { method }), status);
}

async function listed(query: string): Promise<Json[]> {
  return (await ask('GET', `?${query}`))['data'] as Json[];
}

async function addEndpoint(shop: HttpReceiver): Promise<string> {
  const body = { url: `${shop.url}/hook` };
  const answer = await app.fetch('/api/webhook-endpoints', { method: 'POST', body });
  return String((await jsonOf(answer, 201))['id']);
}

/** A shop that fails, with its endpoint; both are gone afterwards. */
async function withFailingShop(
  test: (shop: HttpReceiver, endpointId: string) => Promise<void>,
): Promise<void> {
  const shop = await HttpReceiver.start(() => ({ status: 500, body: 'out of stock: Käse' }));
  const id = await addEndpoint(shop);
  try {
    await test(shop, id);
  } finally {
    await app.fetch(`/api/webhook-endpoints/${id}`, { method: 'DELETE' });
    await shop.close();
  }
}

describe('a delivery that failed', () => {
  it('is found with its answer, and is delivered at once when it is tried again', async () => {
    await withFailingShop(async (shop, endpointId) => {
      const quoteId = await stage.quote(app, { orderId: 'A-1' });
      await waitFor(
        async () => (await listed(`quoteId=${quoteId}&state=pending`))[0]?.['attemptCount'] === 1,
      );
      const [delivery, ...others] = await listed(`endpointId=${endpointId}`);
      expect(others).toEqual([]);
      expect(delivery).toMatchObject({
        endpointId,
        quoteId,
        orderId: 'A-1',
        type: 'payment.created',
        sequence: 1,
        state: 'pending',
        waitingFor: 'retry',
        lastFailure: 'status',
        lastHttpStatus: 500,
      });
      const path = `/${String(delivery?.['id'])}`;
      const [event] = await stage.eventsOf(app, quoteId);
      const attempt = {
        number: 1,
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        durationMs: expect.any(Number),
        address: shop.url.replace('http://', ''),
        httpStatus: 500,
        failure: 'status',
        body: 'out of stock: Käse',
      };
      expect(await ask('GET', path)).toEqual({ ...delivery, event, attempts: [attempt] });

      shop.answer(() => ({ status: 204 }));
      expect(await ask('POST', `${path}/retry`)).toMatchObject({ id: delivery?.['id'], event });
      await waitFor(async () => (await ask('GET', path))['state'] === 'delivered');
      const { attempts, attemptCount } = await ask('GET', path);
      expect([attemptCount, attempts]).toEqual([
        2,
        [
          attempt,
          { ...attempt, number: 2, at: expect.any(String), httpStatus: 204, failure: null, body: '' },
        ],
      ]);
      expect(new Set(shop.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    });
  });
});
