import { randomUUID } from 'node:crypto';

import { Injectable, Logger } from '@nestjs/common';

import { StoreUnavailable } from '../../ports/payments.ts';
import { Loop } from '../../platform/scheduling/loop.ts';
import { SingleFlight } from '../../platform/scheduling/single-flight.ts';
import { WakeSignal } from '../../platform/scheduling/wake-signal.ts';
import { RecordSettings } from '../polling/record-settings.ts';
import { Database } from './database.ts';

/** A replica that ends without a word may have committed something for so long that no other one knows of. */
const BEAT_EVERY_MS = 5_000;
const AGAIN_MS = 500;
const CHECK_WITHIN_MS = 3_000;
const END_WITHIN_MS = 1_000;
const DUE_WITHIN_MS = 20_000;
/** A beat may hang in its commit, as without a synchronous standby: no other takes up a connection meanwhile. */
const HUNG_MS = 10_000;
/** How long the replicas that ran have time to find what they had committed. */
const WAIT_MS = 10_000;
/** Each batch is a transaction of less than a second. */
const DUE_BATCH = 10_000;
/** Retention may have removed what the process committed longer ago. */
const KNOWN_FOR_MS = 3_600_000;

type Verdict = 'known' | 'moved' | 'went_back' | 'waiting';

interface CheckRow {
  readonly verdict: Verdict;
  readonly epoch: number;
  readonly due: number | null;
  readonly is_continued: boolean;
  readonly went_back_at: Date | null;
  readonly is_due_left: boolean;
}

interface DueRow {
  readonly is_more: boolean;
}

/**
 * Notices that the database has come to another server, or went back to a former state: at the start, after it was away,
 * and every few seconds. It keeps what this process knows to be committed. The database function check_history judges.
 */
@Injectable()
export class HistoryWatch {
  private readonly log = new Logger('Database');
  private readonly replicaId = randomUUID();
  private readonly checks = new SingleFlight<void>();
  private readonly loop = new Loop('the watch over the database', new WakeSignal(), () => this.round());
  /** The number of the last beat that was committed, and when. */
  private beat: { readonly number: number; readonly at: number } | null = null;
  private waitingSince: number | null = null;
  private beatAfter = 0;
  /** When the database went back within the last day: operators look for the payments that were lost. */
  wentBackAt: Date | null = null;

  constructor(
    private readonly database: Database,
    private readonly rules: RecordSettings,
  ) {}

  /** Throws StoreUnavailable while it is not known what a change of the server has lost. */
  async begin(): Promise<void> {
    await this.check(true);
    // Not a check that had begun before.
    this.database.onDoubt((doubt) => this.checks.run(`doubt ${doubt}`, () => this.checkOnce(false)));
    this.loop.start();
  }

  /** Says that this process commits nothing more. */
  async end(): Promise<void> {
    void this.loop.stop();
    if (this.beat === null) return;
    await this.database.ask(FORGET, [this.replicaId], END_WITHIN_MS).catch(() => undefined);
  }

  private async round(): Promise<number> {
    const isBeat = performance.now() >= this.beatAfter;
    try {
      await this.check(isBeat);
      return isBeat ? BEAT_EVERY_MS : AGAIN_MS;
    } catch (error) {
      // Other components log that the database is away.
      if (!(error instanceof StoreUnavailable)) throw error;
      if (isBeat) this.beatAfter = performance.now() + HUNG_MS;
      return AGAIN_MS;
    }
  }

  private check(isBeat: boolean): Promise<void> {
    return this.checks.run(String(isBeat), () => this.checkOnce(isBeat));
  }

  private async checkOnce(isBeat: boolean): Promise<void> {
    const at = performance.now();
    const [row] = await this.database.ask<CheckRow>(CHECK, this.knowledge(isBeat, at), CHECK_WITHIN_MS);
    if (row === undefined) throw new StoreUnavailable();
    this.report(row);
    this.wentBackAt = row.went_back_at;
    if (row.verdict === 'waiting') {
      this.waitingSince ??= at;
      throw new StoreUnavailable({ cause: new Error(WAITING) });
    }
    this.waitingSince = null;
    if (row.is_due_left) void this.checks.run('due', () => this.makeOpenDue());
    const { known } = this.database;
    // What was committed in a former epoch may be lost.
    if (row.epoch !== known.epoch && !isBeat) this.beat = null;
    known.epoch = row.epoch;
    if (isBeat) this.beat = { number: (this.beat?.number ?? 0) + 1, at };
  }

  /** Where it fails, the next check goes on. */
  private async makeOpenDue(): Promise<void> {
    try {
      const parameters = [this.rules.urgency.inFlightMs, DUE_BATCH];
      while ((await this.database.ask<DueRow>(MAKE_DUE, parameters, DUE_WITHIN_MS))[0]?.is_more === true);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }

  private knowledge(isBeat: boolean, at: number): unknown[] {
    if (this.beat !== null && at - this.beat.at >= KNOWN_FOR_MS) this.beat = null;
    const { known } = this.database;
    // Losses are the last commits: an event from before a committed beat says nothing more, and may have been removed.
    const events = known.since(this.beat?.at ?? at - KNOWN_FOR_MS);
    const hasWaited = this.waitingSince !== null && at - this.waitingSince >= WAIT_MS;
    const gapMs = this.rules.urgency.inFlightMs;
    const beat = this.beat?.number ?? null;
    return [this.replicaId, beat, known.epoch, JSON.stringify(events), isBeat, hasWaited, gapMs];
  }

  private report({ verdict, due, epoch, is_continued: isContinued }: CheckRow): void {
    const { epoch: known } = this.database.known;
    if (verdict === 'waiting' && this.waitingSince === null) this.log.warn(WAITING);
    if (verdict === 'moved') this.log.log('the database is on another server, and nothing was lost');
    if (isContinued) this.log.log('the events come from another server: the log goes on after them');
    if (verdict === 'went_back')
      this.log.error(
        `the database went back: committed transactions were lost, or nobody can know it. Epoch ${epoch} begins: numbers ` +
          `jump ahead, ${due} open payments are polled at once and their state is published. See "After a restore" in docs/operations.md`,
      );
    else if (known !== null && epoch > known)
      this.log.warn(`the database went back, as another process has found: epoch ${epoch}`);
  }
}

const WAITING =
  'the database is on another server: waiting until the replicas have found what they had committed there';

const CHECK = `
  SELECT verdict, epoch, due, is_continued, is_due_left,
    CASE WHEN went_back_at > now() - interval '1 day' THEN went_back_at END AS went_back_at
  FROM check_history($1::uuid, $2::bigint, $3::int, $4::json, $5::boolean, $6::boolean, $7::float8)`;

const MAKE_DUE = `SELECT make_open_due($1, $2) AS is_more`;

/** The row stays for a check that comes later; the others do not wait for what this process knows. */
const FORGET = `
  UPDATE replica SET seen_at = least(seen_at, now() - interval '20 hours'), confirmed = NULL WHERE id = $1`;
