import { Injectable } from '@nestjs/common';

import { AuditLog, type AuditedChange, type AuditEntry, type AuditFilter } from '../../ports/audit-log.ts';
import { readAuditCursor, writeAuditCursor } from '../connection/cursor.ts';
import { Database } from '../connection/database.ts';

interface AuditRow extends AuditEntry {
  readonly timeUs: string;
}

/** The audit log in PostgreSQL, where a trigger keeps its entries as they are. */
@Injectable()
export class PostgresAuditLog extends AuditLog {
  constructor(private readonly database: Database) {
    super();
  }

  async begin({ who, role, address, via, action, target, values }: AuditedChange): Promise<string> {
    const given = [who, role, address, via, action, target, JSON.stringify(values)];
    const [row] = await this.database.query<{ id: string }>(BEGIN, given);
    return row?.id ?? '';
  }

  async finish(id: string, status: number, target?: string): Promise<void> {
    await this.database.query(FINISH, [id, status, target ?? null]);
  }

  async list(filter: AuditFilter): Promise<{ entries: AuditEntry[]; nextCursor: string | null }> {
    const { who, action, target, after, before, limit, cursor } = filter;
    const from = cursor === undefined ? null : readAuditCursor(cursor);
    const given = [who, action, target, after, before, from?.timeUs, from?.id, limit + 1];
    const rows = await this.database.query<AuditRow>(
      LIST,
      given.map((each) => each ?? null),
    );
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return { entries: page.map(entryOf), nextCursor: last === undefined ? null : writeAuditCursor(last) };
  }
}

function entryOf({ timeUs: _timeUs, ...entry }: AuditRow): AuditEntry {
  return entry;
}

const BEGIN = `
  INSERT INTO audit_entry (who, role, address, via, action, target, "values")
  VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb) RETURNING position::text AS id`;

const FINISH = `
  UPDATE audit_entry SET status = $2, target = coalesce(target, $3::text) WHERE position = $1::bigint AND status IS NULL`;

/** Keyset by time, then position: a clock that was set back orders as it said. */
const LIST = `
  SELECT position::text AS id, time, who, role, address, via, action, target, "values", status,
    (extract(epoch FROM time) * 1000000)::bigint::text AS "timeUs"
  FROM audit_entry
  WHERE ($1::text IS NULL OR who = $1) AND ($2::text IS NULL OR action = $2) AND ($3::text IS NULL OR target = $3)
    AND ($4::timestamptz IS NULL OR time >= $4) AND ($5::timestamptz IS NULL OR time < $5)
    AND ($6::bigint IS NULL
      OR (time, position) < ('epoch'::timestamptz + $6::bigint * interval '1 microsecond', $7::bigint))
  ORDER BY time DESC, position DESC LIMIT $8`;
