import { Injectable } from '@nestjs/common';

import type { EventType } from '../../domain/event/event.ts';
import { isAfter, LOG_START, parseCursor, type LogPosition } from '../../domain/event/log-position.ts';
import { printable } from '../../domain/text/printable.ts';
import { EventLog, type LogFilter, type LogHolder, type LogPage } from '../../ports/event-log.ts';
import { Database } from '../connection/database.ts';
import { JOIN_LOG } from './label-lock.ts';
import {
  BEFORE_LAST,
  COUNT_PAYMENTS,
  FIND_EVENT,
  HELD_FOR,
  HOLDER,
  HORIZON,
  LAST_EVENT,
  logQuery,
  MAX_ORDER_PAYMENTS,
  RESUME,
} from './log-queries.ts';

/** An event; or, without an id, the position up to which the page has read. */
interface LogRow {
  readonly id: string | null;
  readonly type: EventType;
  readonly payment_id: string;
  readonly body: string;
  readonly log_rank: string | null;
  readonly position: string | null;
}

interface HolderRow {
  readonly pid: number | null;
  readonly application: string | null;
  readonly prepared: string | null;
  readonly since: Date;
}

const MAX_NAME = 60;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The event log in PostgreSQL. An event's rank is the transaction that wrote it. The event is read once its rank is
 * below the snapshot's horizon: from then on, no running transaction can add an event before it.
 */
@Injectable()
export class PostgresEventLog extends EventLog {
  constructor(private readonly database: Database) {
    super();
  }

  async read(after: LogPosition, filter: LogFilter, limit: number): Promise<LogPage> {
    const from = [String(after.rank), String(after.position)] as const;
    const { sql, parameters } = logQuery(from, limit, filter, await this.isByPayment(filter));
    const { known, clock } = this.database;
    const { epoch } = known;
    const rows = await this.database.looks.query<LogRow>(sql, parameters);
    const events = rows.flatMap((row) => {
      const position = positionOf(row);
      if (row.id === null || position === null) return [];
      return [{ id: row.id, type: row.type, paymentId: row.payment_id, body: row.body, position }];
    });
    // UNION ALL does not guarantee an order.
    events.sort((one, other) => (isAfter(one.position, other.position) ? 1 : -1));
    const nowMs = clock.now().getTime();
    known.noteRead(
      events.map(({ id }) => ({ id, ageMs: nowMs - (timeOf(id)?.getTime() ?? 0) })),
      epoch,
    );
    const end = rows.find((row) => row.id === null);
    const last = (end === undefined ? null : positionOf(end)) ?? events.at(-1)?.position ?? after;
    return { events, last };
  }

  async find(after: string): Promise<LogPosition | null> {
    if (UUID.test(after)) return (await this.positionOfEvent(after)) ?? this.resumePosition(after);
    const position = parseCursor(after);
    if (position === null || position.rank <= (await this.horizon())) return position;
    // Throws after a failover that no replica has judged yet: that judgement will raise all ranks.
    await this.database.looks.query(JOIN_LOG);
    // The cursor is from another log, or this database is an older copy and no replica has noticed yet.
    return null;
  }

  async end(): Promise<LogPosition> {
    const [row] = await this.database.looks.query<Pick<LogRow, 'log_rank' | 'position'>>(LAST_EVENT);
    return (row === undefined ? null : positionOf(row)) ?? LOG_START;
  }

  async beforeLast(count: number): Promise<LogPosition> {
    const [row] = await this.database.looks.query<Pick<LogRow, 'log_rank' | 'position'>>(BEFORE_LAST, [
      count,
    ]);
    return (row === undefined ? null : positionOf(row)) ?? LOG_START;
  }

  async heldForMs(): Promise<number> {
    const [row] = await this.database.looks.query<{ ms: number }>(HELD_FOR);
    return row?.ms ?? 0;
  }

  async holder(): Promise<LogHolder | null> {
    const [row] = await this.database.looks.query<HolderRow>(HOLDER);
    if (row === undefined) return null;
    const { pid, application, prepared, since } = row;
    const word = printable(prepared ?? application ?? '', ' ')
      .trim()
      .slice(0, MAX_NAME);
    const process = `process ${pid}${word === '' ? '' : ` (${word})`}`;
    return { name: prepared === null ? process : `prepared transaction ${word}`, since };
  }

  async paymentIdOf(quoteId: string): Promise<string | null> {
    const [row] = await this.database.looks.query<{ id: string }>(
      `SELECT id FROM payment WHERE quote_id = $1`,
      [quoteId],
    );
    return row?.id ?? null;
  }

  private async horizon(): Promise<bigint> {
    const [row] = await this.database.looks.query<{ rank: string }>(HORIZON);
    return BigInt(row?.rank ?? 0);
  }

  /**
   * The position at which a reader goes on if its last event was lost when the database went back; null: the event was not
   * lost in that way.
   */
  private async resumePosition(id: string): Promise<LogPosition | null> {
    const [row] = await this.database.looks.query<{ rank: string | null }>(RESUME, [timeOf(id)]);
    const rank = row?.rank ?? null;
    return rank === null ? null : { rank: BigInt(rank), position: 0n };
  }

  private async positionOfEvent(id: string): Promise<LogPosition | null> {
    const [row] = await this.database.looks.query<{ rank: string; position: string }>(FIND_EVENT, [id]);
    return row === undefined ? null : { rank: BigInt(row.rank), position: BigInt(row.position) };
  }

  private async isByPayment({ quoteId, orderId }: LogFilter): Promise<boolean> {
    if (quoteId !== undefined || orderId === undefined) return quoteId !== undefined;
    const [row] = await this.database.looks.query<{ payments: number }>(COUNT_PAYMENTS, [orderId]);
    return (row?.payments ?? 0) <= MAX_ORDER_PAYMENTS;
  }
}

/** The time in a UUIDv7; null for another id. */
function timeOf(id: string): Date | null {
  const digits = id.replaceAll('-', '');
  return digits[12] === '7' ? new Date(Number.parseInt(digits.slice(0, 12), 16)) : null;
}

function positionOf({ log_rank, position }: Pick<LogRow, 'log_rank' | 'position'>): LogPosition | null {
  return log_rank === null || position === null
    ? null
    : { rank: BigInt(log_rank), position: BigInt(position) };
}
