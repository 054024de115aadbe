import { beforeAll, describe, expect, it } from '@jest/globals';

import { MIGRATIONS } from '../../src/database/schema/migrations.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { SharedProcess, type SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';

type Json = Record<string, any>; // eslint-disable-line typescript/no-explicit-any -- tests read it freely

const shared = new SharedProcess();
let stage: Stage;
let app: SharedService;
let ids: { shop: string; broken: string };

async function endpoint(url: string): Promise<string> {
  const answer = await app.fetch('/api/webhook-endpoints', { method: 'POST', body: { url } });
  return String((await jsonOf(answer, 201))['id']);
}

const read = async (path: string): Promise<Json> => jsonOf(await app.fetch(path), 200);

/** A completed payment that the shop has acknowledged; then its endpoint is disabled, and the other one fails. */
async function makeTrouble(): Promise<void> {
  const broken = await HttpReceiver.start();
  broken.answer(() => ({ status: 503 }));
  ids = {
    shop: await endpoint(`${stage.shop.url}/paybell`),
    broken: await endpoint(`${broken.url}/paybell`),
  };
  const acknowledged = await stage.quote(app);
  stage.say([acknowledged], 'COMPLETED');
  await stage.published(app, acknowledged, ['created', 'completed']);
  await app.fetch(`/api/webhook-endpoints/${ids.shop}`, { method: 'PATCH', body: { enabled: false } });
  const unacknowledged = await stage.quote(app);
  stage.say([unacknowledged], 'COMPLETED');
  await waitFor(async () => (await read(`/api/webhook-endpoints/${ids.broken}`))['failingSince'] !== null, {
    what: 'the broken endpoint to fail',
  });
  await waitFor(async () => (await stage.at([unacknowledged], 'COMPLETED')).length === 1);
  stage.provider.fail({ status: 503 });
  await stage.askQuote(app);
  await broken.close();
}

beforeAll(async () => {
  stage = await Stage.open();
  app = await stage.startIn(shared);
  await makeTrouble();
  expect(await app.stop()).toBe(0);
  app = await stage.startIn(shared);
});

describe('figures', () => {
  it('of the process before are there after a restart, for everything and for each endpoint', async () => {
    const { all, endpoints } = await read('/api/figures');
    const sum = (pick: (point: Json) => number | undefined): number =>
      all.reduce((total: number, point: Json) => total + (pick(point) ?? 0), 0);
    expect(sum(({ changes }) => changes['payment.created'])).toBe(2);
    expect(sum(({ changes }) => changes['payment.completed'])).toBe(2);
    expect(sum(({ polls }) => polls.changed)).toBe(2);
    expect(sum(({ requests }) => requests.count)).toBeGreaterThanOrEqual(2);
    expect(sum(({ deliveries }) => deliveries.failed.status)).toBeGreaterThanOrEqual(1);
    expect(sum(({ deliveries }) => deliveries.delivered)).toBe(2);
    expect(endpoints).toEqual([
      expect.objectContaining({ endpointId: ids.broken, destination: 'webhook', points: [] }),
      expect.objectContaining({
        endpointId: ids.shop,
        deliveries: { delivered: 2, givenUp: 0, failed: {} },
      }),
    ]);
    const one = await read(`/api/figures?endpointId=${ids.shop}&step=3600`);
    expect(one['endpoints']).toHaveLength(1);
    const delivered = one['endpoints'][0].points.map(({ deliveries }: Json) => deliveries.delivered);
    expect(delivered.reduce((total: number, count: number) => total + count, 0)).toBe(2);
  });
});

describe('the system', () => {
  it('has its versions, its schema and its retention', async () => {
    const system = await read('/api/system');
    expect(system).toMatchObject({
      roles: ['api', 'tracker', 'dispatcher', 'public'],
      node: process.versions.node,
      database: {
        version: expect.stringMatching(/^\d+\.\d+$/),
        isOwnSchema: true,
        migration: MIGRATIONS.at(-1)?.name.replace(/\d+$/, ''),
      },
      retention: { paymentsDays: 90, auditDays: 365, figuresDays: 14 },
    });
    expect(system['database'].schemaRelease).toBe(system['release']);
  });
});
