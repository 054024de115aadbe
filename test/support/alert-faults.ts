import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll } from '@jest/globals';
import pg from 'pg';

import { FakedClock } from '../../tools/testkit/faked-clock.ts';
import { TOOLS } from '../../tools/testkit/machine-tools.js';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { PrivatePostgres } from '../../tools/testkit/private-postgres.ts';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { Cleanup } from '../../tools/testkit/cleanup.ts';
import type { AppProcess } from './app-process.ts';
import { brokerUrl } from './broker.ts';
import { BrokerQueues } from './broker-queues.ts';
import { jsonOf, Stage } from './stage.ts';

type Env = Record<string, string>;
type Labels = Readonly<Record<string, string>>;

/** The tools that the faults get from their watcher. */
export interface Watch {
  /** Resolves once Prometheus has scraped the process. */
  scrape(job: string, app: AppProcess): Promise<void>;
  /** Resolves once the alert has fired. */
  fired(alert: string, labels: Labels): Promise<void>;
}

/** A fault in a Paybell of its own, under a job's name, and the alerts that fire because of it. */
interface Fault {
  readonly job: string;
  readonly alerts: readonly (readonly [alert: string, labels?: Labels])[];
  begin(watch: Watch): Promise<void>;
}

const POSTGRES_PORT = 5432;
const AMQP_PORT = 5672;
const OTHER_KEY = Buffer.alloc(32, 9).toString('base64');
/** Writes findings about chains as the witness does: there is no chain here. */
const CONTRADICT = `INSERT INTO payment_proof (payment_id, state, report_digest, decided_at, due_at)
  SELECT id, 'contradicted', report_digest, now(), NULL FROM payment WHERE quote_id = $1`;
const MISS_DEPOSIT = `UPDATE payment SET contradictions = '{deposit_unseen_by_provider:0x01}' WHERE quote_id = $1`;
const DAYS_OLDER = `UPDATE event_entry SET time = time - interval '2 days'`;

const cleanup = new Cleanup();
afterAll(() => cleanup.run());

let starting: Promise<unknown> = Promise.resolve();

/** Starts one after the other: a dozen processes that load at once would delay each other. */
async function started(stage: Stage, env: Env = {}): Promise<AppProcess> {
  const app = starting.then(() => stage.start({ PROVIDER_TIMEOUT_MS: '10000', ...env }));
  starting = app.catch(() => undefined);
  return app;
}

async function scraped(watch: Watch, job: string, env: Env = {}): Promise<{ stage: Stage; app: AppProcess }> {
  const stage = await Stage.open();
  const app = await started(stage, env);
  await watch.scrape(job, app);
  return { stage, app };
}

async function addEndpoint(app: AppProcess, url: string, eventTypes?: string[]): Promise<void> {
  const body = { url, ...(eventTypes && { eventTypes }) };
  await jsonOf(await app.fetch('/api/webhook-endpoints', { method: 'POST', body }), 201);
}

async function proxyOf(url: string, port: number): Promise<TcpProxy> {
  const proxy = await TcpProxy.inFrontOf(url, port);
  cleanup.add(() => proxy.close());
  return proxy;
}

function folder(): string {
  const path = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-alerts-'));
  cleanup.add(() => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return path;
}

async function ownPostgres(parent = folder()): Promise<PrivatePostgres> {
  const server = await PrivatePostgres.create(parent);
  cleanup.add(() => server.destroy());
  await server.query('CREATE DATABASE paybell');
  return server;
}

const refusedKey: Fault = {
  job: 'refused-key',
  alerts: [['PaybellProviderCircuit', { provider: 'http', state: 'credentials' }], ['PaybellReplicaDown']],
  async begin(watch) {
    const { stage, app } = await scraped(watch, this.job);
    await stage.quotes(app, 3);
    stage.provider.fail({ status: 401 });
    await watch.fired('PaybellProviderCircuit', { job: this.job });
    await app.kill9();
  },
};

const deadProvider: Fault = {
  job: 'dead-provider',
  alerts: [['PaybellProviderCircuit', { state: 'open' }], ['PaybellProviderAnswersBadly']],
  async begin(watch) {
    const { stage, app } = await scraped(watch, this.job);
    await stage.quotes(app, 3);
    await stage.provider.down();
  },
};

const noTracker: Fault = {
  job: 'no-tracker',
  alerts: [['PaybellNoPolls'], ['PaybellClockSkew']],
  async begin(watch) {
    const library = TOOLS.faketime.find();
    if (library === null) throw new Error('libfaketime is not on this machine: install the package faketime');
    const clock = new FakedClock(library, join(folder(), 'clock'));
    clock.step(60);
    const { stage, app } = await scraped(watch, this.job, { ROLES: 'api,dispatcher', ...clock.env });
    await stage.quotes(app, 3);
  },
};

const slowProvider: Fault = {
  job: 'slow-provider',
  alerts: [['PaybellScheduleLate']],
  async begin(watch) {
    const { stage, app } = await scraped(watch, this.job, { PROVIDER_MAX_CONCURRENCY: '1' });
    await stage.quotes(app, 60);
    stage.provider.slowDown(1_500);
  },
};

const shortBudget: Fault = {
  job: 'short-budget',
  alerts: [['PaybellBudgetShort']],
  async begin(watch) {
    const { stage, app } = await scraped(watch, this.job, { PROVIDER_MAX_RPM: '900' });
    await stage.quotes(app, 60);
  },
};

const unreadLists: Fault = {
  job: 'unread-lists',
  alerts: [['PaybellProviderUnread', { provider: 'http' }]],
  async begin(watch) {
    const stage = await Stage.open();
    await stage.provider.down();
    await watch.scrape(this.job, await started(stage));
  },
};

/** One payment for each code; no payment has a receiver. */
const needsPerson: Fault = {
  job: 'needs-person',
  alerts: [
    ['PaybellPaymentsUntold'],
    ['PaybellNeedsPerson', { code: 'payments_stalled' }],
    ['PaybellNeedsPerson', { code: 'payments_short' }],
    ['PaybellNeedsPerson', { code: 'payments_contradicted' }],
    ['PaybellNeedsPerson', { code: 'deposits_unseen' }],
  ],
  async begin(watch) {
    const { stage, app } = await scraped(watch, this.job, { STALLED_AFTER_SECONDS: '3' });
    const [stalled = '', short = '', contradicted = '', unseen = ''] = await stage.quotes(app, 4);
    stage.say([stalled], 'DEPOSIT_RECEIVED');
    stage.provider.setStatus(short, { status: 'COMPLETED', anomalies: ['partly_refunded'] });
    stage.say([contradicted], 'COMPLETED');
    await waitFor(async () => (await stage.at([short, contradicted], 'COMPLETED')).length === 2);
    await stage.database.query(CONTRADICT, [contradicted]);
    await stage.database.query(MISS_DEPOSIT, [unseen]);
  },
};

const brokerAway: Fault = {
  job: 'broker-away',
  alerts: [['PaybellEventsNotSent', { destination: 'rabbitmq' }]],
  async begin(watch) {
    const proxy = await proxyOf(brokerUrl(), AMQP_PORT);
    const { stage, app } = await scraped(watch, this.job, { RABBITMQ_URL: proxy.through(brokerUrl()) });
    proxy.cut();
    await stage.quote(app);
  },
};

const unboundEvents: Fault = {
  job: 'unbound-events',
  alerts: [
    ['PaybellEventUndelivered', { destination: 'rabbitmq', cause: 'failing' }],
    ['PaybellTrackMessagesRejected'],
  ],
  async begin(watch) {
    const queues = await BrokerQueues.open(brokerUrl());
    const track = queues.name('track');
    const env = { RABBITMQ_URL: brokerUrl(), RABBITMQ_TRACK_QUEUE: track };
    const { stage, app } = await scraped(watch, this.job, env);
    await waitFor(() => app.lines.some((line) => line.includes('Consuming the RabbitMQ queue')));
    await queues.send(track, Buffer.from('no JSON'));
    await stage.quote(app);
    await stage.database.query(DAYS_OLDER);
  },
};

const badShops: Fault = {
  job: 'bad-shops',
  alerts: [
    ['PaybellEndpointDisabled', { reason: 'gone' }],
    ['PaybellEventForDisabledEndpoint'],
    ['PaybellDeliveriesGivenUp'],
    ['PaybellEndpointCircuit'],
    ['PaybellEventUndelivered', { destination: 'webhook', cause: 'circuit_open' }],
    ['PaybellAttemptsFail'],
  ],
  async begin(watch) {
    const { stage, app } = await scraped(watch, this.job, { WEBHOOK_RETRY_SCHEDULE: '200ms,200ms' });
    stage.shop.answer(({ path }) => ({ status: path === '/gone' ? 410 : 500 }));
    await addEndpoint(app, `${stage.shop.url}/gone`);
    await addEndpoint(app, `${stage.shop.url}/refuses`, ['payment.created']);
    await stage.quote(app);
    await watch.fired('PaybellDeliveriesGivenUp', { job: this.job });
    const dead = await HttpReceiver.start();
    await dead.close();
    await addEndpoint(app, dead.url);
    await stage.quotes(app, 12);
    await watch.fired('PaybellEndpointCircuit', { job: this.job });
    await stage.database.query(DAYS_OLDER);
  },
};

const slowShop: Fault = {
  job: 'slow-shop',
  alerts: [
    ['PaybellShopsAnswerSlowly'],
    ['PaybellEventsLate', { destination: 'webhook' }],
    ['PaybellDatabaseAway'],
  ],
  async begin(watch) {
    const stage = await Stage.open();
    const proxy = await proxyOf(stage.database.url, POSTGRES_PORT);
    const env = { DATABASE_URL: proxy.through(stage.database.url), WEBHOOK_TIMEOUT_MS: '15000' };
    const app = await started(stage, env);
    stage.shop.answer(() => ({ status: 204, delayMs: 6_000 }));
    await stage.addShop(app);
    await watch.scrape(this.job, app);
    await stage.quotes(app, 3);
    for (const [alert] of this.alerts.slice(0, 2)) await watch.fired(alert, { job: this.job });
    proxy.cut();
  },
};

const changedKey: Fault = {
  job: 'changed-key',
  alerts: [['PaybellSecretUnreadable']],
  async begin(watch) {
    const stage = await Stage.open();
    const former = await started(stage);
    await stage.addShop(former);
    await former.stop();
    await watch.scrape(this.job, await started(stage, { ENCRYPTION_KEY: OTHER_KEY }));
  },
};

const heldLog: Fault = {
  job: 'held-log',
  alerts: [['PaybellEventLogHeld']],
  async begin(watch) {
    const server = await ownPostgres();
    const { stage, app } = await scraped(watch, this.job, { DATABASE_URL: server.url('paybell') });
    const forgotten = new pg.Client({ connectionString: server.url('postgres') });
    forgotten.on('error', () => undefined);
    await forgotten.connect();
    cleanup.add(() => forgotten.end());
    await forgotten.query('BEGIN; CREATE TABLE forgotten (id integer)');
    await stage.quote(app);
  },
};

const lostCommits: Fault = {
  job: 'lost-commits',
  alerts: [['PaybellDatabaseWentBack']],
  async begin(watch) {
    const parent = folder();
    const primary = await ownPostgres(parent);
    const proxy = await proxyOf(primary.url('paybell'), POSTGRES_PORT);
    const { stage, app } = await scraped(watch, this.job, {
      DATABASE_URL: proxy.through(primary.url('paybell')),
    });
    await stage.quote(app);
    const standby = await PrivatePostgres.standbyOf(primary, parent);
    cleanup.add(() => standby.destroy());
    await standby.set('primary_conninfo', '');
    await waitFor(async () => (await standby.query('SELECT pid FROM pg_stat_wal_receiver')).length === 0);
    await stage.quotes(app, 3);
    await primary.kill9();
    await standby.promote();
    proxy.retarget(standby.port);
  },
};

/** Each fault has its own Paybell, so that one Prometheus watches all of them at once; the slowest begin first. */
export const FAULTS: readonly Fault[] = [
  brokerAway,
  slowProvider,
  heldLog,
  badShops,
  shortBudget,
  needsPerson,
  unreadLists,
  slowShop,
  lostCommits,
  unboundEvents,
  refusedKey,
  deadProvider,
  noTracker,
  changedKey,
];
