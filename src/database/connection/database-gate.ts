import { setTimeout as sleep } from 'node:timers/promises';

import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource, type DataSourceOptions } from 'typeorm';

import { EXCHANGE_DESTINATION_ID } from '../../ports/deliveries.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { Database } from './database.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** One statement of a migration: by then the connection is dead rather than busy. */
const MIGRATION_TIMEOUT_MS = 1_800_000;
const RETRY_FROM_MS = 250;
const RETRY_UP_TO_MS = 5_000;
const REMIND_EVERY = 12;
/** Any number will do, as long as every replica takes the same. */
const MIGRATION_LOCK = 7_226_235_655;
const OVERDUE_BOUND = 10_000;

/** What the gate sets up by, from the configuration. */
export class DatabaseSettings {
  constructor(
    /** Whether events are owed to RabbitMQ from now on; null: this process has no say in it. */
    readonly isExchangeEnabled: boolean | null,
  ) {}
}

/** Connects in the background, however long the database takes, brings the schema up to date, and opens the door. */
@Injectable()
export class DatabaseGate
  extends DatabaseHealth
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  private readonly log = new Logger('Database');
  private readonly stopping = new AbortController();
  private readonly tasks: (() => Promise<void>)[] = [];
  private opening: Promise<void> | null = null;
  private isOpen = false;
  private reportOpen: () => void = () => undefined;
  private readonly opened = new Promise<void>((resolve) => {
    this.reportOpen = resolve;
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly database: Database,
    private readonly settings: DatabaseSettings,
  ) {
    super();
  }

  beforeReady(task: () => Promise<void>): void {
    this.tasks.push(task);
  }

  onApplicationBootstrap(): void {
    this.opening ??= this.open();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.opening;
  }

  async isReady(): Promise<boolean> {
    if (!this.isOpen) return false;
    return this.database.check().then(
      () => true,
      () => false,
    );
  }

  whenReady(): Promise<void> {
    return this.opened;
  }

  async overdueDeliveries(): Promise<number> {
    const [row] = await this.database.query<{ overdue: number }>(OVERDUE, [OVERDUE_BOUND]);
    return row?.overdue ?? 0;
  }

  private async open(): Promise<void> {
    for (let failures = 0; !this.stopping.signal.aborted; failures += 1) {
      try {
        await this.tryOpen();
        for (const task of this.tasks) await task();
        this.isOpen = true;
        this.reportOpen();
        this.log.log('the database is ready');
        return;
      } catch (error) {
        const reason = (error as Error).message;
        if (failures % REMIND_EVERY === 0)
          this.log.warn(`the database is not ready, trying again: ${reason}`);
        const waitMs = Math.min(RETRY_FROM_MS * 2 ** failures, RETRY_UP_TO_MS);
        await sleep(waitMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
  }

  private async tryOpen(): Promise<void> {
    if (!this.dataSource.isInitialized) await this.dataSource.initialize();
    await this.migrate();
    this.database.open();
    const { isExchangeEnabled } = this.settings;
    if (isExchangeEnabled === null) return;
    await this.database.query(SET_EXCHANGE, [EXCHANGE_DESTINATION_ID, isExchangeEnabled]);
  }

  /**
   * The lock lets one replica migrate while the others wait; it goes with the connection if the replica dies. On
   * connections of their own: a table that grew for years takes longer than any other statement may.
   */
  private async migrate(): Promise<void> {
    const source = await new DataSource(patient(this.dataSource.options)).initialize();
    try {
      await source.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
      const done = await source.runMigrations({ transaction: 'all' });
      for (const { name } of done) this.log.log(`the schema was brought up to ${name}`);
      const [log] = await source.query<{ is_continued: boolean }[]>(CONTINUE_LOG);
      if (log?.is_continued) this.log.log('the events come from another server: the log goes on after them');
    } finally {
      await source.destroy();
    }
  }
}

function patient(options: DataSourceOptions): DataSourceOptions {
  const timeouts = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: MIGRATION_TIMEOUT_MS };
  const extra = { max: 2, keepAlive: true, ...timeouts };
  return { ...options, extra };
}

const CONTINUE_LOG = `SELECT continue_log() AS is_continued`;

const SET_EXCHANGE = `
  INSERT INTO destination (id, kind, enabled) VALUES ($1, 'rabbitmq', $2)
  ON CONFLICT (id) DO UPDATE SET enabled = excluded.enabled`;

/** What waits for an endpoint whose circuit is open is no fault of this service's. */
const OVERDUE = `
  SELECT count(*)::int AS overdue FROM (
    SELECT 1 FROM delivery d
    JOIN destination x ON x.id = d.destination_id AND x.enabled
    LEFT JOIN endpoint_circuit c ON c.destination_id = x.id AND c.state = 'open'
    WHERE d.due_at < now() - interval '10 seconds' AND c.state IS NULL LIMIT $1) late`;
