import { Injectable } from '@nestjs/common';
import {
  DataSource,
  type EntityManager,
  type ObjectLiteral,
  type QueryRunner,
  type Repository,
} from 'typeorm';

import { CorrectedClock } from '../../platform/process/corrected-clock.ts';
import { StoreUnavailable } from '../../ports/payments.ts';
import { StoreBusy } from '../../ports/store-busy.ts';
import type { Queries } from '../../ports/queries.ts';
import { KnownEvents } from './known-events.ts';
import { codeOf, isDisconnection, isLost, isOtherRelease } from './connection-errors.ts';
import { failureWords } from './failure-words.ts';
import { guarded, isElsewhere } from './guarded.ts';
import { RecentRefusals } from './recent-refusals.ts';
import { dropConnection, inOneStatement, inOneTrip, inTransaction, queriesOn } from './on-connection.ts';
import { ReadGate, Reads } from './reads.ts';
import { Answers, within } from './waiting.ts';

const DEADLOCK = '40P01';
const MAX_TRANSACTION_ATTEMPTS = 3;
/** The column of statements that measure the database's time, for CorrectedClock.measured. */
export const NOW_MS = `date_part('epoch', now()) * 1000 AS now_ms`;

/**
 * The access to PostgreSQL for all statements, those of repositories included. A lost connection and another release's
 * schema become StoreUnavailable; a faulty statement keeps its own error.
 */
@Injectable()
export class Database implements Queries {
  readonly known = new KnownEvents();
  readonly refusals: RecentRefusals;
  /** For lists, counts, figures and other reads of many rows. */
  readonly reads: Reads;
  /** For reads of one thing by its id; they come before `reads` in line. */
  readonly looks: Reads;
  private readonly answers = new Answers();
  /** Why statements are refused; null while they are let through. */
  private closedBy: string | null = 'it is not open yet';
  private isOtherSchema: () => Promise<boolean> = () => Promise.resolve(false);
  /** How often the database was away, and which of these absences `resolve` has dealt with. */
  private doubts = 0;
  private resolvedDoubts = 0;
  private resolveDoubt: (doubt: number) => Promise<void> = () => Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    readonly clock: CorrectedClock = new CorrectedClock(),
  ) {
    this.refusals = RecentRefusals.of(dataSource, clock);
    const gate = new ReadGate(dataSource, this.answers);
    this.reads = new Reads(this, gate, 'reads');
    this.looks = new Reads(this, gate, 'looks');
  }

  /**
   * Registers `resolve`, which finds out whether this is still the database that the process knows. After each absence
   * of the database, `resolve` runs before any other statement and gets the number of absences; it throws while the
   * answer is not known.
   */
  onDoubt(resolve: (doubt: number) => Promise<void>): void {
    this.resolveDoubt = resolve;
  }

  /** Lets statements through: the schema is current. */
  open(): void {
    this.closedBy = null;
  }

  /** Refuses all statements before they are sent. */
  close(why: string): void {
    this.closedBy = why;
  }

  /**
   * When a function, table or column is undefined, `confirm` finds out whether the schema is another release's, and closes the
   * database if so.
   */
  onOtherRelease(confirm: () => Promise<boolean>): void {
    this.isOtherSchema = confirm;
  }

  /**
   * Runs one statement of a repository, under the checks of this class: a repository that is called directly also
   * writes while the database is closed.
   */
  withRepository<Row extends ObjectLiteral, Result>(
    repository: Repository<Row>,
    work: (repository: Repository<Row>) => Promise<Result>,
  ): Promise<Result> {
    return this.withRunner((runner) =>
      inOneStatement(runner, () => work(runner.manager.withRepository(repository))),
    );
  }

  query<Row>(sql: string, parameters: readonly unknown[] = [], withinMs?: number): Promise<Row[]> {
    const rows = this.withRunner((runner) => inOneTrip<Row>(runner, sql, parameters));
    return withinMs === undefined ? rows : this.within(withinMs, rows);
  }

  /** Runs one statement, unless `check` throws once a connection is free for it: the wait may have been long. */
  queryIf<Row>(check: () => void, sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    return this.withRunner(async (runner) => {
      await runner.connect();
      check();
      return inOneTrip<Row>(runner, sql, parameters);
    });
  }

  /** Throws StoreBusy after this time if the database has answered other callers meanwhile, else StoreUnavailable. */
  within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
    return within(ms, work, this.answers.sinceNow());
  }

  /** Runs reads on one connection, even while the database is closed. Throws StoreUnavailable. */
  inspect<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return this.onConnection((runner) =>
      work({ query: (sql, parameters = []) => inOneTrip(runner, sql, parameters) }),
    );
  }

  /** For statements before the schema is current, or while this database's identity is not known yet. */
  ask<Row>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    return this.onConnection((runner) => inOneTrip<Row>(runner, sql, parameters));
  }

  /**
   * Runs one READ COMMITTED transaction: commits when `work` returns, rolls back when it throws, and runs again after a
   * deadlock. `queries` and the repositories of `manager` use its connection.
   */
  transaction<Result>(work: (queries: Queries, manager: EntityManager) => Promise<Result>): Promise<Result> {
    return this.withDeadlockRetry(() =>
      this.withRunner((runner) => inTransaction(runner, () => work(queriesOn(runner), runner.manager))),
    );
  }

  /**
   * Runs a transaction, or a statement that is a transaction by itself, again when PostgreSQL ended it to resolve a
   * deadlock, when the database has moved to another server, or when the session has lost its prepared statements.
   */
  async withDeadlockRetry<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        const isAgain = codeOf(error) === DEADLOCK || isElsewhere(error);
        if (!isAgain || attempt >= MAX_TRANSACTION_ATTEMPTS) throw error;
      }
    }
  }

  private async withRunner<Result>(work: (runner: QueryRunner) => Promise<Result>): Promise<Result> {
    this.refuseIfClosed();
    try {
      while (this.doubts > this.resolvedDoubts) await this.resolve(this.doubts);
      return await this.onConnection(work);
    } catch (error) {
      if (!isOtherRelease(error) || !(await this.isOtherSchema())) throw error;
      throw new StoreUnavailable({ cause: error, reason: failureWords(error) });
    }
  }

  private async onConnection<Result>(work: (runner: QueryRunner) => Promise<Result>): Promise<Result> {
    const runner = this.dataSource.createQueryRunner();
    try {
      const result = await guarded(() => work(runner), this.answers.sinceNow());
      this.answers.note();
      return result;
    } catch (error) {
      if (error instanceof StoreUnavailable && !(error instanceof StoreBusy)) {
        this.refusals.note(error);
        if (isDisconnection(error.cause)) this.doubts += 1;
        if (isLost(error.cause)) await dropConnection(runner);
      }
      throw error;
    } finally {
      await runner.release();
    }
  }

  /** A further loss during the work counts as a new doubt. */
  private async resolve(doubt: number): Promise<void> {
    await this.resolveDoubt(doubt);
    this.resolvedDoubts = Math.max(this.resolvedDoubts, doubt);
  }

  private refuseIfClosed(): void {
    if (this.closedBy !== null) throw new StoreUnavailable({ reason: this.closedBy });
  }
}
