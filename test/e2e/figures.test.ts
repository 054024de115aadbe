import { beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';

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
let ajv: Ajv;

async function endpoint(url: string): Promise<string> {
  const answer = await app.fetch('/api/webhook-endpoints', { method: 'POST', body: { url } });
  return String((await jsonOf(answer, 201))['id']);
}

const read = async (path: string): Promise<Json> => jsonOf(await app.fetch(path), 200);

/** An answer that is as the OpenAPI document says. */
async function described(path: string, schema: string): Promise<Json> {
  const body = await read(path);
  const isRight = ajv.compile({ $ref: `paybell#/components/schemas/${schema}` });
  expect([path, isRight(body), isRight.errors]).toEqual([path, true, null]);
  return body;
}

/** Completes a payment that the shop acknowledges; then disables its endpoint, and lets the other one fail. */
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
  const unacknowledged = await stage.quote(app, { amount: '0.050000000000000001' });
  stage.say([unacknowledged], 'COMPLETED');
  await waitFor(async () => (await read(`/api/webhook-endpoints/${ids.broken}`))['failingSince'] !== null, {
    what: 'the broken endpoint to fail',
  });
  // Simulates ten payments by a statement: real ones would appear in all figures.
  await stage.database.query(
    `UPDATE endpoint_circuit SET state = 'open', opened_at = now(), probed_at = now(), probe_at = now() + interval '1 minute'`,
  );
  // Moves the clock on by 30 s.
  await stage.database.query(`UPDATE delivery SET created_at = created_at - interval '31 s'`);
  const inFlight = await stage.quote(app, { amount: '7.000000000000000007' });
  stage.say([inFlight], 'EXECUTING');
  await waitFor(async () => (await stage.at([unacknowledged], 'COMPLETED')).length === 1);
  await waitFor(async () => (await stage.at([inFlight], 'EXECUTING')).length === 1);
  stage.provider.fail({ status: 503 });
  const unlucky = await app.fetch(`/api/payments/${acknowledged}-unknown`, { method: 'GET' });
  expect(unlucky.status).toBe(404);
  await stage.askQuote(app);
  await broken.close();
}

beforeAll(async () => {
  stage = await Stage.open();
  app = await stage.startIn(shared);
  await makeTrouble();
  expect(await app.stop()).toBe(0);
  app = await stage.startIn(shared);
  const { components } = await read('/openapi.json');
  ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'paybell', components });
}, 60_000);

describe('figures', () => {
  it('of the process before are there after a restart, for everything and for each endpoint', async () => {
    const { all, endpoints } = await described('/api/figures', 'FiguresAnswer');
    const sum = (pick: (point: Json) => number | undefined): number =>
      all.reduce((total: number, point: Json) => total + (pick(point) ?? 0), 0);
    expect(sum(({ changes }) => changes['payment.created'])).toBe(3);
    expect(sum(({ changes }) => changes['payment.completed'])).toBe(2);
    expect(sum(({ polls }) => polls.changed)).toBe(3);
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
    const one = await described(`/api/figures?endpointId=${ids.shop}&step=3600`, 'FiguresAnswer');
    expect(one['endpoints']).toHaveLength(1);
    const delivered = one['endpoints'][0].points.map(({ deliveries }: Json) => deliveries.delivered);
    expect(delivered.reduce((total: number, count: number) => total + count, 0)).toBe(2);
  });
});

describe('the system', () => {
  it('has its versions, its schema and its retention', async () => {
    const system = await described('/api/system', 'SystemAnswer');
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

describe('what needs attention', () => {
  it('names the disabled and the failing endpoint, and the money whose events no destination has acknowledged', async () => {
    const { items, inFlight, replicas } = await described('/api/attention', 'AttentionAnswer');
    const codes = items.map(({ code }: Json) => code);
    expect(codes).toEqual(expect.arrayContaining(['endpoints_disabled', 'endpoints_failing', 'undelivered']));
    const item = (code: string): Json => items.find((each: Json) => each['code'] === code);
    expect(item('endpoints_disabled')['endpoints']).toMatchObject([{ id: ids.shop }]);
    expect(item('endpoints_failing')).toMatchObject({
      severity: 'bad',
      count: 1,
      href: '/api/webhook-endpoints',
      endpoints: [{ id: ids.broken, circuit: 'open' }],
      payments: {
        count: 2,
        sums: [{ chainId: 1, symbol: 'ETH', amount: '7.050000000000000008', payments: 2 }],
      },
    });
    const sums = [{ chainId: 1, symbol: 'ETH', amount: '7.000000000000000007', payments: 1 }];
    expect(inFlight).toMatchObject({ count: 1, isMore: false, sums, otherTokens: 0 });
    expect(replicas).toMatchObject([{ roles: ['api', 'tracker', 'dispatcher', 'public'], isAlive: true }]);
    expect((await app.fetch(item('undelivered')['href'].split('?')[0])).status).toBe(200);
  });
});

describe('the state of the provider', () => {
  it('is what all replicas know of it, the last hour from the figures', async () => {
    const provider = await described('/api/provider', 'ProviderAnswer');
    expect(provider).toMatchObject({
      name: 'http',
      host: null,
      keyRefused: false,
      circuit: { state: 'closed', nextProbeAt: null },
      limits: { requestsPerMinute: null, maxConcurrency: 64, minGapMs: 100 },
      lastHour: { polls: { changed: 3 }, detectionGap: { count: expect.any(Number) } },
      replicas: [{ isAlive: true, keyRefused: false }],
    });
    expect(provider['classes'].map(({ name }: Json) => name)).toEqual([
      'in_flight',
      'attended',
      'unattended',
      'watching',
    ]);
    expect(provider).not.toHaveProperty('reconcile');
    expect(JSON.stringify(provider)).not.toContain('127.0.0.1');
  });
});
