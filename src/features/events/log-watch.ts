import { Injectable, Logger } from '@nestjs/common';

import { EventLog } from '../../ports/event-log.ts';
import { type LogTrouble, logTrouble, sayHeld } from '../../ports/log-trouble.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { ServiceLoop } from '../../platform/scheduling/service-loop.ts';

const POLL_EVERY_MS = 10_000;
/** The shortest time between two warnings. */
const WARN_EVERY_MS = 60_000;

/** Warns operators when an open transaction hides events from the log and the streams, which no client can notice. */
@Injectable()
export class LogWatch extends ServiceLoop {
  private readonly log = new Logger('Event log');
  private warnedAtMs: number | null = null;

  constructor(
    private readonly eventLog: EventLog,
    database: DatabaseHealth,
  ) {
    super('the watch over the event log', database);
  }

  protected round(): Promise<number> {
    return this.poll();
  }

  /** Checks the log once; returns the wait before the next check. */
  async poll(nowMs = performance.now()): Promise<number> {
    const trouble = await logTrouble(this.eventLog);
    if (trouble === null) this.logEnd();
    else this.warn(trouble, nowMs);
    return POLL_EVERY_MS;
  }

  private warn(trouble: LogTrouble, nowMs: number): void {
    if (this.warnedAtMs !== null && nowMs - this.warnedAtMs < WARN_EVERY_MS) return;
    this.warnedAtMs = nowMs;
    this.log.warn(
      `${sayHeld(trouble)}. Find it in pg_stat_activity by the oldest backend_xid, or in pg_prepared_xacts, and end it; ` +
        'idle_in_transaction_session_timeout prevents it. Webhooks and RabbitMQ are not held up',
    );
  }

  private logEnd(): void {
    if (this.warnedAtMs !== null) this.log.log('/api/events and the streams show all events again');
    this.warnedAtMs = null;
  }
}
