import { setTimeout as sleep } from 'node:timers/promises';

import type { Database } from './database.ts';
import { failureWords } from './failure-words.ts';

const EVERY_MS = 5_000;
const COMMITS_WITHIN_MS = 2_000;

/**
 * Finds out whether writes commit, by a small one: never two at once, and at most one in five seconds. It keeps no row: a
 * record in the write-ahead log, which the commit waits for as every commit does, with a temporary file, which a full disk
 * refuses.
 */
export class SmallWrite {
  private pid = 0;
  private startedAtMs = Number.NEGATIVE_INFINITY;
  private running: Promise<unknown> | null = null;
  /** What the last one failed with; null after one that has committed. */
  private failure: unknown = null;

  constructor(private readonly database: Database) {}

  /** Null when the last one has committed; else why not. Throws an error of the connection. */
  async problem(): Promise<string | null> {
    if (this.running === null && performance.now() - this.startedAtMs >= EVERY_MS) this.start();
    const isOver = await this.isOver();
    if (!isOver) return this.whyLate();
    return this.failure === null ? null : failureWords(this.failure);
  }

  private start(): void {
    this.startedAtMs = performance.now();
    this.running = this.write()
      .then(
        () => (this.failure = null),
        (error: Error) => this.noteFailure(error.cause ?? error),
      )
      .finally(() => (this.running = null));
  }

  private async write(): Promise<void> {
    await this.database.transaction(async (queries) => {
      await queries.query(LIMITS);
      const [row] = await queries.query<{ pid: number }>(WRITE);
      this.pid = row?.pid ?? 0;
    });
  }

  private noteFailure(error: unknown): void {
    this.failure = error;
    // It has not reached the server: try again as soon as the server answers.
    if (!(error as object).hasOwnProperty('severity')) this.startedAtMs = Number.NEGATIVE_INFINITY;
  }

  private async isOver(): Promise<boolean> {
    if (this.running === null) return true;
    const waiting = new AbortController();
    const limit = sleep(COMMITS_WITHIN_MS, false, { signal: waiting.signal }).catch(() => false);
    const isOver = await Promise.race([this.running.then(() => true), limit]);
    waiting.abort();
    return isOver;
  }

  private async whyLate(): Promise<string> {
    const [row] = await this.database.query<{ wait_event: string | null }>(WAITS_FOR, [this.pid]);
    const why = row?.wait_event === 'SyncRep' ? ': a synchronous standby does not answer' : '';
    return `a small write does not commit within ${COMMITS_WITHIN_MS / 1_000} s${why}`;
  }
}

const LIMITS = `SELECT set_config('statement_timeout', '${COMMITS_WITHIN_MS}', true), set_config('work_mem', '64kB', true),
  set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
    ELSE current_setting('synchronous_commit') END, true)`;

const WRITE = `
  SELECT pg_backend_pid() AS pid, pg_logical_emit_message(true, 'paybell', 'readiness') IS NOT NULL AS is_logged,
    (SELECT count(*) FROM generate_series(1, 20000)) AS spilled`;

const WAITS_FOR = `SELECT wait_event FROM pg_stat_activity WHERE pid = $1`;
