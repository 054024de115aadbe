import { Injectable, Logger } from '@nestjs/common';

import { apartMs } from '../../domain/polling/spacing.ts';
import { StoreUnavailable } from '../../ports/payments.ts';
import type { WentBack } from '../../ports/readiness.ts';
import { ThisReplica } from '../../ports/replicas.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { RecordSettings } from '../events/record-settings.ts';
import { Database, NOW_MS } from '../connection/database.ts';
import { within } from '../connection/waiting.ts';

const CHECK_WITHIN_MS = 3_000;
const END_WITHIN_MS = 1_000;
/** How long other replicas have to find their own commits after a change of the server. */
const WAIT_MS = 10_000;
/** Keeps each batch's transaction below a second. */
const DUE_BATCH = 10_000;
/** Retention may have removed rows that the process committed longer ago. */
const KNOWN_FOR_MS = 3_600_000;

type Verdict = 'known' | 'moved' | 'went_back' | 'waiting';

interface CheckRow {
  readonly verdict: Verdict;
  readonly epoch: number;
  readonly due: number | null;
  readonly is_continued: boolean;
  readonly went_back_at: Date | null;
  readonly is_due_left: boolean;
  readonly now_ms: number;
}

interface DueRow {
  readonly is_more: boolean;
}

/**
 * Notices that the database has moved to another server, or went back to an earlier state: at the start, after each outage,
 * and at each beat. Keeps what this process knows to be committed; the database function check_history judges.
 */
@Injectable()
export class HistoryWatch {
  private readonly log = new Logger('Database');
  private readonly checks = new SharedWork<void>();
  /** The number of the last beat that was committed, and when. */
  private beatKnown: { readonly number: number; readonly at: number } | null = null;
  private waitingSince: number | null = null;
  /** When the database went back, if within the last day: operators look for the lost payments. */
  private wentBackAt: Date | null = null;

  constructor(
    private readonly database: Database,
    private readonly rules: RecordSettings,
    private readonly replica: ThisReplica,
  ) {}

  get wentBack(): WentBack {
    return { epoch: this.database.known.epoch ?? 0, at: this.wentBackAt };
  }

  /** Throws StoreUnavailable until it is known which commits a change of the server has lost. */
  async begin(): Promise<void> {
    await within(CHECK_WITHIN_MS, this.beat());
    // Runs a new check: an older one began before the doubt.
    this.database.onDoubt((doubt) => this.checks.run(`doubt ${doubt}`, () => this.checkOnce(false)));
  }

  /**
   * Checks the database, and makes a small commit that the process knows from then on. Two beats never run at once: a beat may
   * hang in its commit, as without a synchronous standby. No other replica knows the commits that a killed replica made after
   * its last beat.
   */
  beat(): Promise<void> {
    return this.checks.run('beat', () => this.checkOnce(true));
  }

  /** Checks without a write, unless something is wrong. */
  check(): Promise<void> {
    return this.checks.run('check', () => this.checkOnce(false));
  }

  /** Tells the other replicas that this process makes no more commits. */
  async end(): Promise<void> {
    if (this.beatKnown === null) return;
    await within(END_WITHIN_MS, this.database.ask(FORGET, [this.replica.id])).catch(() => undefined);
  }

  private async checkOnce(isBeat: boolean): Promise<void> {
    const at = performance.now();
    const number = this.knownBeat(at);
    const asked = this.database.ask<CheckRow>(CHECK, this.knowledge(number, isBeat, at));
    const [row] = await (isBeat ? asked : this.database.within(CHECK_WITHIN_MS, asked));
    if (row === undefined) throw new StoreUnavailable();
    this.database.clock.measured(row.now_ms, at);
    const { known } = this.database;
    // This beat hung while another check found a new epoch: its answer is outdated.
    if (known.epoch !== null && row.epoch < known.epoch) return;
    this.report(row);
    this.wentBackAt = row.went_back_at;
    if (row.verdict === 'waiting') {
      this.waitingSince ??= at;
      throw new StoreUnavailable({ reason: WAITING });
    }
    this.waitingSince = null;
    if (row.is_due_left) void this.checks.run('due', () => this.makeOpenDue());
    // A commit of an earlier epoch may be lost.
    if (row.epoch !== known.epoch && !isBeat) this.beatKnown = null;
    known.epoch = row.epoch;
    if (isBeat) this.beatKnown = { number: (number ?? 0) + 1, at };
  }

  /** After a failure, the next check goes on with the work. */
  private async makeOpenDue(): Promise<void> {
    try {
      const parameters = [apartMs(this.rules.urgency), DUE_BATCH];
      while ((await this.database.ask<DueRow>(MAKE_DUE, parameters))[0]?.is_more === true);
    } catch (error) {
      this.log.warn(`not all open payments are due yet, trying again: ${(error as Error).message}`);
    }
  }

  /** Null when the last beat is so old that retention may have removed the rows that were committed after it. */
  private knownBeat(at: number): number | null {
    if (this.beatKnown !== null && at - this.beatKnown.at >= KNOWN_FOR_MS) this.beatKnown = null;
    return this.beatKnown?.number ?? null;
  }

  private knowledge(beat: number | null, isBeat: boolean, at: number): unknown[] {
    const { known } = this.database;
    // Losses are always the last commits: an event older than a committed beat proves nothing more, and may have been
    // removed.
    const events = known.since(this.beatKnown?.at ?? at - KNOWN_FOR_MS);
    const hasWaited = this.waitingSince !== null && at - this.waitingSince >= WAIT_MS;
    const gapMs = apartMs(this.rules.urgency);
    return [this.replica.id, beat, known.epoch, JSON.stringify(events), isBeat, hasWaited, gapMs];
  }

  private report({ verdict, due, epoch, is_continued: isContinued }: CheckRow): void {
    const { epoch: known } = this.database.known;
    if (verdict === 'waiting' && this.waitingSince === null) this.log.warn(WAITING);
    if (verdict === 'moved') this.log.log('the database is on another server, and nothing was lost');
    if (isContinued) this.log.log('the events come from another server: the log goes on after them');
    if (verdict === 'went_back')
      this.log.error(
        `the database went back: committed transactions were lost, or may have been. Epoch ${epoch} begins: numbers ` +
          `jump ahead, ${due} open payments are polled at once and their state is published. See "After a restore" in docs/running/backups.md`,
      );
    else if (known !== null && epoch > known)
      this.log.warn(`the database went back, as another process has found: epoch ${epoch}`);
  }
}

const WAITING =
  'the database is on another server: waiting until the replicas have found what they had committed there';

const CHECK = `
  SELECT verdict, epoch, due, is_continued, is_due_left, ${NOW_MS},
    CASE WHEN went_back_at > now() - interval '1 day' THEN went_back_at END AS went_back_at
  FROM check_history($1::uuid, $2::bigint, $3::int, $4::json, $5::boolean, $6::boolean, $7::float8)`;

const MAKE_DUE = `SELECT make_open_due($1, $2) AS is_more`;

/** The row stays for a later check; the other replicas do not wait for this process's knowledge. */
const FORGET = `
  UPDATE replica SET seen_at = least(seen_at, now() - interval '20 hours'), confirmed = NULL WHERE id = $1`;
