import { setTimeout as sleep } from 'node:timers/promises';

import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';

import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { WakeSignal } from '../../platform/scheduling/wake-signal.ts';
import { DestinationKinds } from '../../ports/destinations.ts';
import {
  DatabaseHealth,
  type DatabaseProblem,
  type DatabaseTrouble,
  StartRefused,
  type WentBack,
} from '../../ports/readiness.ts';
import { bringUp } from './bring-up.ts';
import { codeOf } from '../connection/connection-errors.ts';
import { MigrationOptions, writesOf } from '../connection/data-source-options.ts';
import { DatabaseChecks, OtherSchema } from './database-checks.ts';
import { Database } from '../connection/database.ts';
import { loggedWords, publicWords } from '../connection/failure-words.ts';
import { HistoryWatch } from '../history/history-watch.ts';

const RETRY_FROM_MS = 250;
const RETRY_UP_TO_MS = 5_000;
/** The wait after a migration hit its lock_timeout, as during a dump. */
const IN_USE_AGAIN_MS = 30_000;
/** A database that does not answer must not delay the answers to a supervisor's probes. */
const DECIDED_WITHIN_MS = 5_000;
const CHECK_EVERY_MS = 5_000;
const CHECK_AGAIN_MS = 500;

/** Connects in the background, migrates, and lets statements through as long as the schema is this release's. */
@Injectable()
export class DatabaseGate
  extends DatabaseHealth
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  private readonly log = new Logger('Database');
  private readonly stopping = new AbortController();
  private readonly checkNow = new WakeSignal();
  private readonly checks: DatabaseChecks;
  /** Quotes and probes that ask at once share an answer. */
  private readonly asked = new SharedWork<DatabaseProblem | null>();
  private readonly tasks: (() => Promise<void>)[] = [];
  private running: Promise<void> | null = null;
  private current: DatabaseProblem | null = { check: 'start', detail: 'it is being opened' };
  private currentSince: Date;
  private reportOpen: () => void = () => undefined;
  private readonly opened = new Promise<void>((resolve) => (this.reportOpen = resolve));

  constructor(
    private readonly dataSource: DataSource,
    private readonly database: Database,
    private readonly destinations: DestinationKinds,
    private readonly history: HistoryWatch,
    private readonly migration: MigrationOptions,
  ) {
    super();
    this.checks = new DatabaseChecks(database, history, writesOf(migration.options) === 'respect');
    this.currentSince = database.clock.now();
    database.onOtherRelease(async () => (await this.read())?.check === 'schema');
  }

  beforeReady(task: () => Promise<void>): void {
    this.tasks.push(task);
  }

  /** Waits for the first try, which may refuse the start before the service listens. */
  async onApplicationBootstrap(): Promise<void> {
    let isStarting = true;
    const first = new Promise<void>((tried, refuse) => {
      this.running = this.run(tried).catch((refusal: StartRefused) => {
        // A later refusal is an unhandled rejection, which ends the process.
        if (isStarting || this.stopping.signal.aborted) refuse(refusal);
        else void Promise.reject(refusal);
      });
    });
    await Promise.race([first, sleep(DECIDED_WITHIN_MS, undefined, { ref: false })]);
    isStarting = false;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
    await this.history.end();
  }

  override trouble(): DatabaseTrouble | null {
    if (this.current === null) return this.database.refusals.present;
    return { detail: this.current.detail, since: this.currentSince };
  }

  override get wentBack(): WentBack {
    return this.history.wentBack;
  }

  async problem(): Promise<DatabaseProblem | null> {
    return this.current ?? this.asked.run('read', () => this.read());
  }

  whenReady(): Promise<void> {
    return this.opened;
  }

  private async run(tried: () => void): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await this.open(tried);
      await this.watch();
    }
  }

  private async open(tried: () => void): Promise<void> {
    const { signal } = this.stopping;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        await this.tryOpen();
        await this.runTasks();
        this.noteProblem(await this.checks.all());
        this.reportOpen();
        return tried();
      } catch (error) {
        if (error instanceof StartRefused) throw error;
        const check = error instanceof OtherSchema ? 'schema' : 'start';
        this.noteProblem({ check, detail: publicWords(error) }, loggedWords(error));
        tried();
        const retryMs = Math.min(RETRY_FROM_MS * 2 ** failures, RETRY_UP_TO_MS);
        const waitMs = codeOf(error) === '55P03' ? IN_USE_AGAIN_MS : retryMs;
        await sleep(waitMs, null, { signal }).catch(() => null);
      }
    }
  }

  /** Checks the open database until it gets another release's schema or is guarded against writes. */
  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.checkNow.wait(this.current === null ? CHECK_EVERY_MS : CHECK_AGAIN_MS, signal);
      if (signal.aborted || this.current?.check === 'schema') return;
      const guard = await this.checks.guard();
      if (guard !== null) return this.closeBy(guard, 'default_transaction_read_only is on');
      const problem = await this.checks.all();
      if (problem?.check === 'schema') return this.closeBy(problem);
      this.noteProblem(problem);
    }
  }

  private async read(): Promise<DatabaseProblem | null> {
    const problem = await this.checks.read();
    if (problem?.check === 'schema') this.closeBy(problem);
    return problem;
  }

  private closeBy(problem: DatabaseProblem, why = 'its schema is of another release'): void {
    this.database.close(why);
    this.noteProblem(problem);
    this.checkNow.wake();
  }

  /** Logs a new problem. At a stop it logs nothing: all work in flight ends with an error. */
  private noteProblem(problem: DatabaseProblem | null, reason = problem?.detail): void {
    const isNew = problem?.check !== this.current?.check || problem?.detail !== this.current?.detail;
    if (isNew) this.currentSince = this.database.clock.now();
    this.current = problem;
    if (!isNew || this.stopping.signal.aborted) return;
    if (problem === null) this.log.log('the database is ready');
    else this.log.warn(`the database is not ready, trying again: ${reason}`);
  }

  /** Runs each task until it succeeds, and not again when a later task fails. */
  private async runTasks(): Promise<void> {
    for (let [task] = this.tasks; task !== undefined; [task] = this.tasks) {
      await task();
      this.tasks.shift();
    }
  }

  private async tryOpen(): Promise<void> {
    if (!this.dataSource.isInitialized) await this.dataSource.initialize();
    await bringUp(this.migration.options, this.log, this.stopping.signal);
    await this.checks.learnSchema();
    await this.history.begin();
    this.database.open();
    for (const { kind, targets } of this.destinations.all)
      if (targets !== 'endpoints' && targets.isEnabled !== null)
        await this.database.query(SET_SINGLE, [kind, targets.isEnabled]);
  }
}

const SET_SINGLE = `
  INSERT INTO destination (id, kind, enabled) VALUES (gen_random_uuid(), $1, $2)
  ON CONFLICT (kind) WHERE url IS NULL DO UPDATE SET enabled = excluded.enabled`;
