import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { hostileRole } from '../support/hostile-settings.ts';
import type { SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

type Json = Record<string, unknown>;

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const STORY = ['created', 'deposit_received', 'executing', 'completed'];

let stage: Stage;
let role: Awaited<ReturnType<typeof hostileRole>>;

beforeAll(async () => {
  stage = await Stage.open({ isEmpty: true });
  role = await hostileRole(stage.database.name);
});
// The stage has dropped the database before.
afterAll(() => role.drop());

async function listOf(app: SharedService, path: string): Promise<Json[]> {
  return (await jsonOf(await app.fetch(path), 200))['data'] as Json[];
}

async function playsALife(app: SharedService): Promise<void> {
  const orderId = `A-${Math.random()}`;
  const metadata = { text: 'it\'s \\u0041 \\ "quoted" – 😀' };
  const quoteId = await stage.quote(app, { orderId, metadata });
  for (const status of ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED']) {
    stage.provider.setStatus(quoteId, { status, deposit: { note: `\\u0041${status}` } });
    await stage.published(app, quoteId, STORY.slice(0, STORY.indexOf(status.toLowerCase()) + 1));
  }
  const payment = await jsonOf(await app.fetch(`/api/payments/${quoteId}`), 200);
  expect(payment).toMatchObject({ status: 'COMPLETED', orderId, metadata, sequence: 4 });
  for (const time of ['createdAt', 'expiresAt', 'updatedAt', 'lastPolledAt'])
    expect(payment[time]).toMatch(ISO);
  expect(Math.abs(Date.parse(String(payment['createdAt'])) - Date.now())).toBeLessThan(600_000);
  const created = encodeURIComponent(String(payment['createdAt']));
  for (const filter of [
    `search=${quoteId}`,
    `orderId=${orderId}`,
    `createdAfter=${created}`,
    'status=COMPLETED',
  ])
    expect(await listOf(app, `/api/payments?${filter}`)).toContainEqual(expect.objectContaining({ quoteId }));
  const csv = await app.fetch('/api/payments', { headers: { accept: 'text/csv' } });
  expect(await csv.text()).toContain(String(payment['createdAt']));
  expect(await listOf(app, `/api/webhook-deliveries?quoteId=${quoteId}`)).toHaveLength(4);
  // The list holds an event back while an older transaction of any database on the server is open.
  const hasAllEvents = async () => (await listOf(app, '/api/events')).length >= 4;
  await waitFor(hasAllEvents, { what: 'four events in the list' });
}

async function operates(app: SharedService): Promise<void> {
  await jsonOf(await app.fetch('/api/attention'), 200);
  await jsonOf(await app.fetch('/health/ready'), 200);
  expect((await app.fetch('/metrics')).status).toBe(200);
  const stuck = await stage.quote(app);
  stage.provider.setStatus(stuck, { status: 'FAILED', error: 'no \\u0041 route' });
  await stage.published(app, stuck, ['created', 'failed']);
  const { items } = await jsonOf(await app.fetch('/api/attention'), 200);
  expect(Array.isArray(items)).toBe(true);
  const [endpoint] = await listOf(app, '/api/webhook-endpoints');
  const test = await app.fetch(`/api/webhook-endpoints/${String(endpoint?.['id'])}/test`, { method: 'POST' });
  expect(test.status).toBeLessThan(300);
}

describe('settings of the role and the database', () => {
  it('change nothing in a life of a payment, nor at the next start', async () => {
    const env = { DATABASE_URL: role.urlOf(stage.database.directUrl) };
    const app = await stage.startWarm(env);
    await stage.addShop(app);
    await playsALife(app);
    await operates(app);
    await app.stop();
    const again = await stage.startWarm(env);
    await playsALife(again);
    await again.stop();
  });
});
