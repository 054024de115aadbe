import { setTimeout as sleep } from 'node:timers/promises';

import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource, type DataSourceOptions } from 'typeorm';

import { DestinationKinds } from '../../ports/destinations.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { VERSION } from '../../platform/process/version.ts';
import { Database } from './database.ts';
import { migrate } from './migrate.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** For one statement of a migration: after so long its connection is dead rather than busy. */
const MIGRATION_TIMEOUT_MS = 1_800_000;
const RETRY_FROM_MS = 250;
const RETRY_UP_TO_MS = 5_000;
const REMIND_EVERY = 12;
const OVERDUE_BOUND = 10_000;

/** Connects in the background, however long the database takes, migrates, and then lets statements through. */
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
    private readonly destinations: DestinationKinds,
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
        await this.runTasks();
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

  /** Runs each task until it succeeds, and not again when a later one fails. */
  private async runTasks(): Promise<void> {
    for (let [task] = this.tasks; task !== undefined; [task] = this.tasks) {
      await task();
      this.tasks.shift();
    }
  }

  private async tryOpen(): Promise<void> {
    if (!this.dataSource.isInitialized) await this.dataSource.initialize();
    await this.migrate();
    this.database.open();
    for (const { kind, targets } of this.destinations.all)
      if (targets !== 'endpoints' && targets.isEnabled !== null)
        await this.database.query(SET_SINGLE, [kind, targets.isEnabled]);
  }

  /** Uses connections of its own: a table that grew for years takes longer than any other statement may. */
  private async migrate(): Promise<void> {
    const source = await new DataSource(patient(this.dataSource.options)).initialize();
    try {
      const { migrations, functions, isLogContinued } = await migrate(source);
      for (const name of migrations) this.log.log(`the schema was brought up to ${name}`);
      if (functions.length > 0) this.log.log(`the functions of the database were brought up to ${VERSION}`);
      if (isLogContinued) this.log.log('the events come from another server: the log goes on after them');
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

const SET_SINGLE = `
  INSERT INTO destination (id, kind, enabled) VALUES (gen_random_uuid(), $1, $2)
  ON CONFLICT (kind) WHERE url IS NULL DO UPDATE SET enabled = excluded.enabled`;

/** Without deliveries to endpoints whose circuit is open: their delay is the endpoint's. */
const OVERDUE = `
  SELECT count(*)::int AS overdue FROM (
    SELECT 1 FROM delivery d
    JOIN destination x ON x.id = d.destination_id AND x.enabled
    LEFT JOIN endpoint_circuit c ON c.destination_id = x.id AND c.state = 'open'
    WHERE d.due_at < now() - interval '10 seconds' AND c.state IS NULL LIMIT $1) late`;
