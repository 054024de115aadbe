import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';

import type { Problem } from '../../platform/http/problem.ts';
import { AuditLog, type AuditedChange } from '../../ports/audit-log.ts';
import { Timers } from '../../ports/timers.ts';

/** How many changes of one key in a minute, at one replica, get an entry each. */
const MAX_ENTRIES = 60;
const MINUTE_MS = 60_000;
const ACTION = 'request.refused';
/** Problems of a provider that gave no answer, so that nothing is stored. After any other failure, the state is not known. */
const PROVIDER_FAILED: ReadonlySet<string> = new Set([
  'provider_unavailable',
  'provider_credentials',
  'provider_misconfigured',
]);

/** A key's refused changes within a minute of the first. */
interface Minute {
  entries: number;
  /** Changes without an entry of their own. */
  count: number;
  lastStatus: number;
  /** The entry for their count. */
  counting: Promise<string> | null;
  /** Cancels the timer for the end of the minute. */
  readonly cancel: () => void;
}

/** Whether a change with this problem was not made: it was refused, or the provider that it needs did not answer. */
export function isRefusal({ code, status }: Pick<Problem, 'code' | 'status'>): boolean {
  return (status >= 400 && status <= 499) || PROVIDER_FAILED.has(code);
}

/**
 * Writes refused changes to the audit log, which no user can empty: a few of each key in a minute, and the number of the
 * others in one more entry. So a key cannot fill the disk with requests that change nothing.
 */
@Injectable()
export class RefusedChanges implements BeforeApplicationShutdown {
  private readonly log = new Logger(RefusedChanges.name);
  private readonly byKey = new Map<string, Minute>();

  constructor(
    private readonly auditLog: AuditLog,
    private readonly timers: Timers,
  ) {}

  /** Whether a change of this key, refused now, would get an entry of its own. */
  hasRoom(who: string): boolean {
    return (this.byKey.get(who)?.entries ?? 0) < MAX_ENTRIES;
  }

  /** `id` is the change's entry, if it has one already. */
  async noteChange(change: AuditedChange, id: string | null, status: number): Promise<void> {
    const minute = this.minuteOf(change.who);
    if (minute.entries < MAX_ENTRIES) {
      minute.entries += 1;
      await this.auditLog.refuse(id ?? (await this.auditLog.begin({ ...change, values: {} })), status);
      return;
    }
    minute.count += 1;
    minute.lastStatus = status;
    minute.counting ??= this.beginCount(minute, change);
    await Promise.all([minute.counting, id === null ? null : this.auditLog.withdraw(id)]);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([...this.byKey.keys()].map((who) => this.end(who)));
  }

  private async beginCount(minute: Minute, change: AuditedChange): Promise<string> {
    try {
      return await this.auditLog.begin({ ...change, action: ACTION, target: null, values: {} });
    } catch (error) {
      minute.counting = null;
      throw error;
    }
  }

  private minuteOf(who: string): Minute {
    const running = this.byKey.get(who);
    if (running !== undefined) return running;
    const cancel = this.timers.after(MINUTE_MS, () => void this.end(who));
    const minute: Minute = { entries: 0, count: 0, lastStatus: 0, counting: null, cancel };
    this.byKey.set(who, minute);
    return minute;
  }

  private async end(who: string): Promise<void> {
    const minute = this.byKey.get(who);
    this.byKey.delete(who);
    minute?.cancel();
    if (minute === undefined || minute.counting === null) return;
    const { counting, count, lastStatus } = minute;
    try {
      await this.auditLog.finish(await counting, lastStatus, undefined, { count });
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      this.log.warn(
        `the audit log does not have that ${count} more changes of ${who} were refused: ${reason}`,
      );
    }
  }
}
