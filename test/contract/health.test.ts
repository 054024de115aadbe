import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { HealthController } from '../../src/features/health/health.controller.ts';
import { ReadinessChecks } from '../../src/features/health/readiness-checks.ts';
import { ReplicasWatch } from '../../src/features/health/replicas-watch.ts';
import { DeliveryFigures, type DeliveryTroubles } from '../../src/ports/delivery-figures.ts';
import type { PaymentProvider } from '../../src/ports/payment-provider.ts';
import {
  ClockSkew,
  ConnectionHealths,
  DatabaseHealth,
  type DatabaseProblem,
  type DatabaseTrouble,
  type Health,
  type ProviderHealth,
} from '../../src/ports/readiness.ts';
import { Replicas } from '../../src/ports/replicas.ts';
import { NOTHING_UNTOLD } from '../../src/ports/untold-payments.ts';
import { FakeEventLog } from '../support/fakes/event-log.fake.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { EventLog } from '../../src/ports/event-log.ts';
import { ShellApp } from '../support/shell-app.ts';
import { type ProviderCell, ProviderCells } from '../../src/ports/provider-cell.ts';
import { cellsOf } from '../support/cells.ts';

class FakeDatabase extends DatabaseHealth {
  asked = 0;
  now: () => Promise<DatabaseProblem | null> = () => Promise.resolve(null);
  troubled: DatabaseTrouble | null = null;
  override trouble(): DatabaseTrouble | null {
    return this.troubled;
  }
  override problem(): Promise<DatabaseProblem | null> {
    this.asked += 1;
    return this.now();
  }
  override whenReady(): Promise<void> {
    return Promise.resolve();
  }
  override beforeReady(): void {}
}

class FakeFigures {
  overdue: () => Promise<number> = () => Promise.resolve(3);
  troubles: () => Promise<DeliveryTroubles> = () =>
    Promise.resolve({ unreadableSecrets: 0, untold: NOTHING_UNTOLD, openCircuits: null });
}

class FakeHealth {
  readonly name = 'rabbitmq';
  value: Health = { status: 'ok' };
  health(): Health {
    return this.value;
  }
  trouble(): null {
    return null;
  }
}

const RUNNING = [
  { id: 'one', roles: ['api'], release: '1.0.0', isAlive: true, settings: { PROVIDER: 'a' } },
  { id: 'gone', roles: ['api'], release: '1.0.0', isAlive: false, settings: { PROVIDER: 'b' } },
];

const open: ShellApp[] = [];

function cellWith(
  name: string,
  health: FakeHealth,
  more: Partial<PaymentProvider> = {},
): Partial<ProviderCell> {
  const provider = { name, isSimulated: false, isLeft: false, ...more } as PaymentProvider;
  return { provider, health: health as unknown as ProviderHealth };
}

async function start(isSimulated = false, others: readonly Partial<ProviderCell>[] = []) {
  const parts = {
    database: new FakeDatabase(),
    broker: new FakeHealth(),
    provider: new FakeHealth(),
    clock: new FakeHealth(),
    figures: new FakeFigures(),
    eventLog: new FakeEventLog(),
  };
  const cells = cellsOf(cellWith('http', parts.provider, { isSimulated }), ...others);
  const shell = await ShellApp.start(
    [HealthController],
    [
      ReadinessChecks,
      { provide: DatabaseHealth, useValue: parts.database },
      { provide: ConnectionHealths, useValue: new ConnectionHealths([parts.broker]) },
      { provide: ProviderCells, useValue: cells },
      { provide: DeliveryFigures, useValue: parts.figures },
      { provide: EventLog, useValue: parts.eventLog },
      { provide: ClockSkew, useValue: parts.clock },
      { provide: Replicas, useValue: { recent: () => Promise.resolve(RUNNING) } },
      ReplicasWatch,
    ],
  );
  open.push(shell);
  const ask = (path: string): Promise<Response> => fetch(`${shell.url}/health/${path}`);
  return { ...parts, shell, ask };
}

afterEach(async () => {
  for (const shell of open.splice(0)) await shell.stop();
});

describe('health', () => {
  it('is live without a key and whatever else is broken', async () => {
    const { ask, database } = await start();
    database.now = () => Promise.reject(new Error('down'));
    const answer = await ask('live');
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }]);
  });

  it('is ready and ok when everything is', async () => {
    const { ask, broker } = await start();
    broker.value = { status: 'off' };
    const answer = await ask('ready');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      status: 'ok',
      checks: {
        database: { status: 'ok' },
        rabbitmq: { status: 'off' },
        provider: { status: 'ok' },
        deliveries: { status: 'ok', overdue: 3 },
        secrets: { status: 'ok' },
        log: { status: 'ok' },
        clock: { status: 'ok' },
        replicas: { status: 'ok', running: [{ id: 'one', roles: ['api'], release: '1.0.0' }] },
      },
    });
  });

  it('is, with several providers, that of the worst beside that of each; not of one that is left', async () => {
    const [relay, gone] = [new FakeHealth(), new FakeHealth()];
    const left = cellWith('sandbox', gone, { isLeft: true });
    const { ask, provider } = await start(false, [cellWith('relay', relay), left]);
    const checked = async (): Promise<unknown> => {
      const { checks } = (await (await ask('ready')).json()) as { checks: { provider: unknown } };
      return checks.provider;
    };
    gone.value = { status: 'degraded', detail: 'never asked' };
    const well = { name: 'http', status: 'ok' };
    expect(await checked()).toEqual({ status: 'ok', providers: [well, { name: 'relay', status: 'ok' }] });
    relay.value = { status: 'degraded', detail: 'status 503' };
    const away = { name: 'relay', ...relay.value };
    expect(await checked()).toEqual({
      status: 'degraded',
      detail: 'Relay: status 503',
      providers: [well, away],
    });
    provider.value = { status: 'degraded', detail: 'timeout' };
    expect(await checked()).toEqual({
      status: 'degraded',
      detail: 'http: timeout; Relay: status 503',
      providers: [{ name: 'http', ...provider.value }, away],
    });
  });

  const DETAIL = 'sandbox: no real money moves';
  const STUCK = { status: 'degraded', detail: 'not connected' } as const;
  const FULL: DatabaseProblem = { check: 'write', detail: '53100 disk full' };
  const SILENT = {
    failed: 'answer',
    detail: expect.stringMatching(/^the (check itself failed|database gives no answer within 2 s)$/),
  };
  const SINCE = new Date('2026-11-20T12:00:00.000Z');
  const OPEN = { endpoints: 2, waiting: 40, isMore: false, oldestAt: SINCE };
  const WELL: DeliveryTroubles = { unreadableSecrets: 0, untold: NOTHING_UNTOLD, openCircuits: null };
  const failing = (): Promise<never> => Promise.reject(new Error('amqp://user:hunter2@broker'));
  const tooMany = (): Promise<never> =>
    Promise.reject(new StoreUnavailable({ reason: '53300 too many connections' }));
  const untold = (change: Partial<DeliveryTroubles>) => () => Promise.resolve({ ...WELL, ...change });

  describe('with a trouble', () => {
    let parts: Awaited<ReturnType<typeof start>>;
    beforeAll(async () => {
      parts = await start(true);
      open.pop();
    });
    afterAll(() => parts.shell.stop());

    it.each<[string, (parts: Awaited<ReturnType<typeof start>>) => unknown, object]>([
      ['broker', ({ broker }) => (broker.value = STUCK), { rabbitmq: STUCK }],
      ['clock', ({ clock }) => (clock.value = STUCK), { clock: STUCK }],
      [
        'sandbox',
        ({ provider }) => (provider.value = STUCK),
        { provider: { ...STUCK, detail: `${DETAIL}; not connected` } },
      ],
      [
        'broker whose check throws',
        ({ broker }) => (broker.health = () => JSON.parse('amqp://user:hunter2@broker') as Health),
        { rabbitmq: { status: 'degraded' } },
      ],
      [
        'backlog',
        ({ figures }) => (figures.overdue = () => Promise.resolve(10_000)),
        { deliveries: { overdue: 10_000, detail: 'deliveries are behind' } },
      ],
      [
        'backlog that is not known',
        ({ figures }) => (figures.overdue = failing),
        { deliveries: { overdue: null, detail: 'the check itself failed' } },
      ],
      [
        'backlog that the database does not say',
        ({ figures }) => (figures.overdue = tooMany),
        { deliveries: { overdue: null, detail: 'the database: 53300 too many connections' } },
      ],
      [
        'database that refuses others',
        ({ database }) => (database.troubled = { detail: '53300 too many connections', since: SINCE }),
        { database: { status: 'degraded', detail: '53300 too many connections' } },
      ],
      [
        'log that a transaction holds up',
        ({ eventLog }) => (eventLog.heldMs = 31_000),
        { log: { detail: expect.stringContaining('process 1 (psql) has a transaction open since ') } },
      ],
      [
        'circuit that holds back an event',
        ({ figures }) => (figures.troubles = untold({ openCircuits: { ...OPEN, endpoints: 1, waiting: 1 } })),
        {
          deliveries: {
            detail: `1 endpoint with an open circuit, 1 event waits, the oldest since ${SINCE.toISOString()}`,
          },
        },
      ],
      [
        'circuits that hold back very many',
        ({ figures }) => (figures.troubles = untold({ openCircuits: { ...OPEN, isMore: true } })),
        {
          deliveries: {
            detail: `2 endpoints with an open circuit, at least 40 events wait, the oldest since ${SINCE.toISOString()}`,
          },
        },
      ],
      [
        'secrets that cannot be read',
        ({ figures }) => (figures.troubles = untold({ unreadableSecrets: 2 })),
        {
          deliveries: { status: 'ok' },
          secrets: {
            detail:
              '2 endpoints get no webhooks: their secrets cannot be decrypted with ENCRYPTION_KEY. Set the old key as ENCRYPTION_KEY_PREVIOUS, or rotate their secrets',
          },
        },
      ],
      [
        'figures that are not known',
        ({ figures }) => (figures.troubles = failing),
        { deliveries: { overdue: 3 }, secrets: { status: 'degraded', detail: 'the check itself failed' } },
      ],
    ])('is ready but degraded: %s', async (_what, breakIt, checks) => {
      expect(await (await parts.ask('ready')).json()).toMatchObject({
        status: 'ok',
        checks: { provider: { status: 'ok', detail: DETAIL } },
      });
      breakIt(parts);
      const answer = await parts.ask('ready');
      const text = await answer.text();
      expect([answer.status, JSON.parse(text)]).toMatchObject([200, { status: 'degraded', checks }]);
      expect(text).not.toContain('hunter2');
      for (const [part, well] of Object.entries({
        database: new FakeDatabase(),
        figures: new FakeFigures(),
        eventLog: new FakeEventLog(),
        broker: new FakeHealth(),
        clock: new FakeHealth(),
        provider: new FakeHealth(),
      }))
        Object.assign(parts[part as 'database'], well);
      Reflect.deleteProperty(parts.broker, 'health');
    });
  });

  it.each([
    ['the disk is full', () => Promise.resolve(FULL), { failed: 'write', detail: '53100 disk full' }],
    ['the database is down', () => Promise.reject(new Error('postgres://u:hunter2@db refused')), SILENT],
    ['the database hangs', () => new Promise<null>(() => undefined), SILENT],
  ])(
    'is a 503 problem that says which check fails, and shows the rest, while %s',
    async (_what, now, check) => {
      const { ask, database } = await start();
      database.now = now;
      const answer = await ask('ready');
      expect(answer.status).toBe(503);
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
      const text = await answer.text();
      expect(JSON.parse(text)).toMatchObject({
        code: 'not_ready',
        success: false,
        error: 'The database does not answer, takes no writes or has another schema: see checks.database.',
        checks: { database: { status: 'unavailable', ...check }, rabbitmq: { status: 'ok' } },
      });
      expect(text).not.toContain('hunter2');
    },
  );

  it('asks a database that hangs once, however often it is probed', async () => {
    const { ask, database } = await start();
    database.now = () => new Promise(() => undefined);
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask('ready')));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([503]));
    expect(database.asked).toBe(1);
  });

  it('is logged at debug only, whatever it says', async () => {
    const { ask, shell, database } = await start();
    database.now = () => Promise.resolve(FULL);
    await ask('ready');
    const line = shell.logged.find(({ path }) => path === '/health/ready');
    expect(line).toMatchObject({ level: 'debug', status: 503 });
  });
});
