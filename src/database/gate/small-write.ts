import { setTimeout as sleep } from 'node:timers/promises';

import { StoreUnavailable } from '../../ports/payments.ts';
import { StoreBusy } from '../../ports/store-busy.ts';
import type { Database } from '../connection/database.ts';
import { failureWords } from '../connection/failure-words.ts';
import type { HistoryWatch } from '../history/history-watch.ts';

const EVERY_MS = 5_000;
const COMMITS_WITHIN_MS = 2_000;

/** Finds out whether writes commit, by the beats of HistoryWatch: at most one every five seconds. */
export class SmallWrite {
  private startedAtMs = Number.NEGATIVE_INFINITY;
  private running: Promise<unknown> | null = null;
  /** The failure of the last write; null after a write that has committed. */
  private failure: Error | null = null;

  constructor(
    private readonly database: Database,
    private readonly history: HistoryWatch,
  ) {}

  /** Null when the last write has committed; otherwise the reason why it has not. */
  async problem(): Promise<string | null> {
    if (this.running === null && performance.now() - this.startedAtMs >= EVERY_MS) this.start();
    const isOver = await this.isOver();
    if (!isOver) return this.whyLate().catch(wordsOf);
    return this.failure === null ? null : wordsOf(this.failure);
  }

  private start(): void {
    this.startedAtMs = performance.now();
    this.running = this.history
      .beat()
      .then(
        () => (this.failure = null),
        (error: Error) => this.noteFailure(error),
      )
      .finally(() => (this.running = null));
  }

  private noteFailure(error: Error): void {
    this.failure = error instanceof StoreBusy ? null : error;
    // The write has not reached the server, or no replica has judged the server yet: try again as soon as the server answers.
    if (!Object.hasOwn(error.cause ?? error, 'severity')) this.startedAtMs = Number.NEGATIVE_INFINITY;
  }

  private async isOver(): Promise<boolean> {
    if (this.running === null) return true;
    const waiting = new AbortController();
    const limit = sleep(COMMITS_WITHIN_MS, false, { signal: waiting.signal }).catch(() => false);
    const isOver = await Promise.race([this.running.then(() => true), limit]);
    waiting.abort();
    return isOver;
  }

  /** Throws an error of the connection. */
  private async whyLate(): Promise<string> {
    // The server that got the write may be gone, and the other replicas wait for this process's knowledge: checks the history.
    await this.history.check();
    const waiting = await this.database.query(WAITS_FOR_STANDBY);
    const why = waiting.length > 0 ? ': a synchronous standby does not answer' : '';
    return `a small write does not commit within ${COMMITS_WITHIN_MS / 1_000} s${why}`;
  }
}

/** Null: the database is only busy. */
function wordsOf(error: Error): string | null {
  if (error instanceof StoreBusy) return null;
  return error instanceof StoreUnavailable && error.cause === undefined
    ? error.message
    : failureWords(error.cause ?? error);
}

const WAITS_FOR_STANDBY = `
  SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep' LIMIT 1`;
