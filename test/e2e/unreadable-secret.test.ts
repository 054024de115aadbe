import { randomBytes } from 'node:crypto';

import { beforeAll, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';

import { PrometheusText } from '../support/prometheus-text.ts';
import { SharedProcess, type SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { arrivalsAt, firstArrivals, storyOf, waitForStories } from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const [FIRST, SECOND, THIRD] = Array.from({ length: 3 }, () => randomBytes(32).toString('base64'));
const REMEDY = "Set the old key as ENCRYPTION_KEY_PREVIOUS, or rotate the endpoint's secret";
const METRIC = 'paybell_webhook_secrets_unreadable';

let stage: Stage;
let endpointId: string;

beforeAll(async () => {
  stage = await Stage.open();
});

async function json(app: SharedService, path: string): Promise<Record<string, unknown>> {
  return jsonOf(await app.fetch(path), 200);
}

const shared = new SharedProcess();
const start = (key = '', more: Record<string, string> = {}): Promise<SharedService> =>
  stage.startIn(shared, { ENCRYPTION_KEY: key, ...more });

/** The pending deliveries, as `sequence waitingFor`, the oldest first. */
async function waits(app: SharedService): Promise<string[]> {
  const { data } = await json(app, `/api/webhook-deliveries?endpointId=${endpointId}&state=pending`);
  const deliveries = data as { sequence: number; waitingFor: string | null }[];
  return deliveries.map(({ sequence, waitingFor }) => `${sequence} ${waitingFor}`).reverse();
}

async function expectTrouble(app: SharedService): Promise<void> {
  expect(await json(app, '/health/ready')).toMatchObject({
    status: 'degraded',
    checks: {
      secrets: {
        status: 'degraded',
        detail: `1 endpoint gets no webhooks: its secret cannot be decrypted with ENCRYPTION_KEY. Set the old key as ENCRYPTION_KEY_PREVIOUS, or rotate its secret`,
      },
    },
  });
  expect(await json(app, `/api/webhook-endpoints/${endpointId}`)).toMatchObject({
    enabled: true,
    circuit: 'closed',
    problem: 'secret_unreadable',
  });
  const scraped = new PrometheusText(await (await fetch(`${app.url}/metrics`)).text());
  expect(scraped.value(METRIC, {})).toBe(1);
  const words = `ENCRYPTION_KEY has changed; endpoint ${endpointId} ("shop EU") gets no webhooks. ${REMEDY}.`;
  expect(app.lines.map((line) => String((JSON.parse(line) as { msg: unknown }).msg))).toContainEqual(
    expect.stringContaining(words),
  );
}

async function expectHealed(app: SharedService): Promise<void> {
  expect(await json(app, '/health/ready')).toMatchObject({ checks: { secrets: { status: 'ok' } } });
  expect(await json(app, `/api/webhook-endpoints/${endpointId}`)).toMatchObject({
    problem: null,
    pending: 0,
  });
  expect(await waits(app)).toEqual([]);
}

it('a wrong ENCRYPTION_KEY is reported everywhere; the old key, or a new secret, heals it, and what waited comes in order', async () => {
  let app = await start(FIRST);
  const body = { url: `${stage.shop.url}/hook`, description: 'shop EU' };
  const created = await app.fetch('/api/webhook-endpoints', { method: 'POST', body });
  endpointId = String((await jsonOf(created, 201))['id']);
  const quoteId = await stage.quote(app);
  await waitForStories(() => arrivalsAt(stage.shop), [quoteId], 1);
  expect(await app.stop()).toBe(0);

  app = await start(SECOND);
  stage.say([quoteId], 'DEPOSIT_RECEIVED');
  await waitFor(async () => (await waits(app)).length === 1);
  stage.say([quoteId], 'EXECUTING');
  await waitFor(async () => (await waits(app)).length === 2);
  expect(await waits(app)).toEqual(['2 secret_unreadable', '3 secret_unreadable']);
  await expectTrouble(app);
  await app.stop();
  expect(stage.shop.requests).toHaveLength(1);

  app = await start(SECOND, { ENCRYPTION_KEY_PREVIOUS: String(FIRST) });
  await waitForStories(() => arrivalsAt(stage.shop), [quoteId], 3);
  await waitFor(async () => (await waits(app)).length === 0);
  await expectHealed(app);
  await waitFor(() =>
    app.lines.some((line) => line.includes('are encrypted with the present ENCRYPTION_KEY')),
  );
  await app.stop();

  app = await start(THIRD);
  stage.say([quoteId], 'COMPLETED');
  await waitFor(async () => (await waits(app)).length === 1);
  await expectTrouble(app);
  const rotated = await app.fetch(`/api/webhook-endpoints/${endpointId}/rotate-secret`, { method: 'POST' });
  const { secret, previousSecretExpiresAt } = await jsonOf(rotated, 200);
  expect(previousSecretExpiresAt).toBeNull();
  await waitForStories(() => arrivalsAt(stage.shop), [quoteId], 4, 3_000);
  const types = ['payment.created', 'payment.deposit_received', 'payment.executing', 'payment.completed'];
  expect(firstArrivals(arrivalsAt(stage.shop))).toEqual(storyOf([quoteId], types));
  const last = stage.shop.requests.at(-1);
  const headers = last?.headers as Record<string, string>;
  expect(() => new Webhook(String(secret)).verify(last?.body ?? '', headers)).not.toThrow();
  await waitFor(async () => (await waits(app)).length === 0);
  await expectHealed(app);
});
