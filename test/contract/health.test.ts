import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { NestFactory } from '@nestjs/core';
import { afterEach, describe, expect, it } from '@jest/globals';

import { HealthController } from '../../src/features/health/health.controller.ts';
import { Housekeeping, HousekeepingSettings } from '../../src/features/health/housekeeping.ts';
import { ReadinessChecks } from '../../src/features/health/readiness-checks.ts';
import { ReplicasWatch } from '../../src/features/health/replicas-watch.ts';
import { Clock } from '../../src/ports/clock.ts';
import { DeliveryFigures, type DeliveryTroubles } from '../../src/ports/delivery-figures.ts';
import { Idempotency } from '../../src/ports/idempotency.ts';
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
import { MinuteFigures } from '../../src/ports/minute-figures.ts';
import { Replicas } from '../../src/ports/replicas.ts';
import { Replays } from '../../src/ports/replays.ts';
import { Retention } from '../../src/ports/retention.ts';
import { Sessions } from '../../src/ports/sessions.ts';
import { UnansweredQuotes } from '../../src/ports/unanswered-quotes.ts';
import { NOTHING_UNTOLD } from '../../src/ports/untold.ts';
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

  it('says that the provider is the sandbox, which is no trouble, beside the trouble that it has', async () => {
    const { ask, provider } = await start(true);
    const detail = 'sandbox: no real money moves';
    expect(await (await ask('ready')).json()).toMatchObject({
      status: 'ok',
      checks: { provider: { status: 'ok', detail } },
    });
    provider.value = { status: 'degraded', detail: 'it fails' };
    expect(await (await ask('ready')).json()).toMatchObject({
      status: 'degraded',
      checks: { provider: { status: 'degraded', detail: `${detail}; it fails` } },
    });
  });

  it('is, with several providers, that of the worst, whose detail names those in trouble; not of one that is left', async () => {
    const [relay, gone] = [new FakeHealth(), new FakeHealth()];
    const left = cellWith('sandbox', gone, { isLeft: true });
    const { ask, provider } = await start(false, [cellWith('relay', relay), left]);
    const checked = async (): Promise<unknown> => {
      const { checks } = (await (await ask('ready')).json()) as { checks: { provider: unknown } };
      return checks.provider;
    };
    gone.value = { status: 'degraded', detail: 'never asked' };
    expect(await checked()).toEqual({ status: 'ok' });
    relay.value = { status: 'degraded', detail: 'status 503' };
    expect(await checked()).toEqual({ status: 'degraded', detail: 'relay: status 503' });
    provider.value = { status: 'degraded', detail: 'timeout' };
    expect(await checked()).toEqual({ status: 'degraded', detail: 'http: timeout; relay: status 503' });
  });

  it.each(['broker', 'provider', 'clock'] as const)('is ready but degraded while the %s is', async (part) => {
    const parts = await start();
    parts[part].value = { status: 'degraded', detail: 'not connected' };
    const answer = await parts.ask('ready');
    expect(answer.status).toBe(200);
    const name = part === 'broker' ? 'rabbitmq' : part;
    expect(await answer.json()).toMatchObject({
      status: 'degraded',
      checks: { [name]: { status: 'degraded', detail: 'not connected' } },
    });
  });

  it.each([
    [() => Promise.resolve(10_000), 10_000, 'deliveries are behind'],
    [() => Promise.reject(new Error('no')), null, 'the check itself failed'],
    [
      () => Promise.reject(new StoreUnavailable({ reason: '53300 too many connections' })),
      null,
      'the database: 53300 too many connections',
    ],
  ])('is degraded with a backlog, or says why it is not known: %#', async (count, overdue, detail) => {
    const { ask, figures } = await start();
    figures.overdue = count;
    const answer = await ask('ready');
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { status: 'degraded', checks: { deliveries: { status: 'degraded', overdue, detail } } },
    ]);
  });

  it('is degraded while the database answers and refuses others', async () => {
    const { ask, database } = await start();
    database.troubled = { detail: '53300 too many connections', since: new Date() };
    expect(await (await ask('ready')).json()).toMatchObject({
      status: 'degraded',
      checks: { database: { status: 'degraded', detail: '53300 too many connections' } },
    });
  });

  it('is degraded while a transaction holds the log up, and names it', async () => {
    const { ask, eventLog } = await start();
    eventLog.heldMs = 31_000;
    expect(await (await ask('ready')).json()).toMatchObject({
      status: 'degraded',
      checks: {
        log: {
          status: 'degraded',
          detail: expect.stringContaining('process 1 (psql) has a transaction open since '),
        },
      },
    });
  });

  const FULL: DatabaseProblem = { check: 'write', detail: '53100 disk full' };
  const SILENT = {
    failed: 'answer',
    detail: expect.stringMatching(/^the (check itself failed|database gives no answer within 2 s)$/),
  };
  const SINCE = new Date('2026-11-20T12:00:00.000Z');

  it.each([
    [
      1,
      1,
      false,
      '1 endpoint with an open circuit, 1 event waits, the oldest since 2026-11-20T12:00:00.000Z',
    ],
    [
      2,
      40,
      false,
      '2 endpoints with an open circuit, 40 events wait, the oldest since 2026-11-20T12:00:00.000Z',
    ],
    [
      3,
      10_000,
      true,
      '3 endpoints with an open circuit, at least 10000 events wait, the oldest since 2026-11-20T12:00:00.000Z',
    ],
  ])('is degraded while %i open circuits hold back events', async (endpoints, waiting, isMore, detail) => {
    const { ask, figures } = await start();
    const openCircuits = { endpoints, waiting, isMore, oldestAt: SINCE };
    figures.troubles = () => Promise.resolve({ unreadableSecrets: 0, untold: NOTHING_UNTOLD, openCircuits });
    const answer = await ask('ready');
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { status: 'degraded', checks: { deliveries: { status: 'degraded', overdue: 3, detail } } },
    ]);
  });

  it('is degraded while secrets can not be read, and says what to do', async () => {
    const { ask, figures } = await start();
    figures.troubles = () =>
      Promise.resolve({ unreadableSecrets: 2, untold: NOTHING_UNTOLD, openCircuits: null });
    const answer = await ask('ready');
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      {
        status: 'degraded',
        checks: {
          deliveries: { status: 'ok' },
          secrets: {
            status: 'degraded',
            detail:
              "2 endpoints get no webhooks: their secrets can't be decrypted with ENCRYPTION_KEY. Set the old key as ENCRYPTION_KEY_PREVIOUS, or rotate their secrets",
          },
        },
      },
    ]);
  });

  it('is degraded where it is not known', async () => {
    const { ask, figures } = await start();
    figures.troubles = () => Promise.reject(new Error('no'));
    expect(await (await ask('ready')).json()).toMatchObject({
      status: 'degraded',
      checks: {
        deliveries: { status: 'degraded', overdue: 3, detail: 'the check itself failed' },
        secrets: { status: 'degraded', detail: 'the check itself failed' },
      },
    });
  });

  it('survives a check that throws', async () => {
    const { ask, broker } = await start();
    broker.health = () => {
      throw new Error('amqp://user:hunter2@broker');
    };
    const text = await (await ask('ready')).text();
    expect(JSON.parse(text)).toMatchObject({
      status: 'degraded',
      checks: { rabbitmq: { status: 'degraded' } },
    });
    expect(text).not.toContain('hunter2');
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

  it('is logged at debug only', async () => {
    const { ask, shell } = await start();
    await ask('live');
    expect(shell.logged.find((line) => line['path'] === '/health/live')).toMatchObject({ level: 'debug' });
  });
});

describe('housekeeping', () => {
  it('is woken by the schedule, every hour', async () => {
    class Empty {}
    const context = await NestFactory.createApplicationContext(
      {
        module: Empty,
        imports: [ScheduleModule.forRoot()],
        providers: [
          Housekeeping,
          { provide: HousekeepingSettings, useValue: new HousekeepingSettings(1, 1) },
          { provide: Retention, useValue: {} },
          { provide: Idempotency, useValue: {} },
          { provide: Replays, useValue: {} },
          { provide: Sessions, useValue: {} },
          { provide: UnansweredQuotes, useValue: {} },
          { provide: MinuteFigures, useValue: {} },
          { provide: Clock, useValue: {} },
          { provide: DatabaseHealth, useValue: { whenReady: () => new Promise(() => undefined) } },
        ],
      },
      { logger: false },
    );
    const job = context.get(SchedulerRegistry).getCronJob('housekeeping');
    const [first, second] = job.nextDates(2).map((date) => date.toMillis());
    expect((second ?? 0) - (first ?? 0)).toBe(3_600_000);
    await context.close();
  });
});
