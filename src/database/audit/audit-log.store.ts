import { Injectable } from '@nestjs/common';

import { spellingsOf } from '../../domain/payment/reading.ts';
import { AuditLog, type AuditedChange, type AuditEntry, type AuditFilter } from '../../ports/audit-log.ts';
import { readAuditCursor, writeAuditCursor } from '../connection/cursor.ts';
import { Groups } from '../../platform/scheduling/groups.ts';
import { failsAll } from '../connection/connection-errors.ts';
import { Database } from '../connection/database.ts';
import { prepared } from '../connection/prepared.ts';

interface AuditResult {
  readonly id: string;
  readonly status: number;
  readonly target: string | null;
  readonly values: Readonly<Record<string, unknown>>;
}

interface AuditRow extends AuditEntry {
  readonly timeUs: string;
}

/** The audit log in PostgreSQL, where a trigger keeps its entries as they are. */
@Injectable()
export class PostgresAuditLog extends AuditLog {
  private readonly begins = new Groups<AuditedChange, string>((changes) => this.beginGroup(changes), {
    failsAll,
  });
  private readonly results = new Groups<AuditResult, void>((results) => this.finishGroup(results), {
    failsAll,
    // The first result of an entry counts.
    keyOf: ({ id }) => id,
  });

  private readonly withdrawals = new Groups<string, void>((ids) => this.withdrawGroup(ids), { failsAll });

  constructor(private readonly database: Database) {
    super();
  }

  begin(change: AuditedChange): Promise<string> {
    return this.begins.add(change);
  }

  finish(
    id: string,
    status: number,
    target?: string,
    values: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    return this.results.add({ id, status, target: target ?? null, values });
  }

  withdraw(id: string): Promise<void> {
    return this.withdrawals.add(id);
  }

  async list(filter: AuditFilter): Promise<{ entries: AuditEntry[]; nextCursor: string | null }> {
    const { who, action, target, after, before, limit, cursor } = filter;
    const from = cursor === undefined ? null : readAuditCursor(cursor);
    const spellings = target === undefined ? null : spellingsOf(target);
    const given = [who, action, spellings, after, before, from?.timeUs, from?.id, limit + 1];
    const rows = await this.database.query<AuditRow>(
      LIST,
      given.map((each) => each ?? null),
    );
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return { entries: page.map(entryOf), nextCursor: last === undefined ? null : writeAuditCursor(last) };
  }

  private async beginGroup(changes: readonly AuditedChange[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(BEGIN, [
      changes.map(({ who }) => who),
      changes.map(({ role }) => role),
      changes.map(({ address }) => address),
      changes.map(({ via }) => via),
      changes.map(({ action }) => action),
      changes.map(({ target }) => target),
      changes.map(({ values }) => JSON.stringify(values)),
    ]);
    return rows.map(({ id }) => id);
  }

  private async finishGroup(results: readonly AuditResult[]): Promise<void[]> {
    await this.database.query(FINISH, [
      results.map(({ id }) => id),
      results.map(({ status }) => status),
      results.map(({ target }) => target),
      results.map(({ values }) => JSON.stringify(values)),
    ]);
    return [];
  }

  private async withdrawGroup(ids: readonly string[]): Promise<void[]> {
    await this.database.query('SELECT withdraw_audit($1::bigint[])', [ids]);
    return [];
  }
}

function entryOf({ timeUs: _timeUs, ...entry }: AuditRow): AuditEntry {
  return entry;
}

/** The rows come back in the order in which they are inserted. */
const BEGIN = prepared(`
  INSERT INTO audit_entry (who, role, address, via, action, target, "values")
  SELECT who, role, address, via, action, target, given::jsonb
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
    WITH ORDINALITY AS c (who, role, address, via, action, target, given, n)
  ORDER BY n
  RETURNING position::text AS id`);

const FINISH = `
  UPDATE audit_entry a SET status = r.status, target = coalesce(a.target, r.target),
    "values" = CASE WHEN r.status BETWEEN 400 AND 499 THEN r.given::jsonb ELSE r.given::jsonb || a."values" END
  FROM unnest($1::bigint[], $2::smallint[], $3::text[], $4::text[]) AS r (id, status, target, given)
  WHERE a.position = r.id AND a.status IS NULL`;

/** Keyset by time, then position: a clock that was set back orders as it said. */
const LIST = `
  SELECT position::text AS id, time, who, role, address, via, action, target, "values", status,
    (extract(epoch FROM time) * 1000000)::bigint::text AS "timeUs"
  FROM audit_entry
  WHERE ($1::text IS NULL OR who = $1) AND ($2::text IS NULL OR action = $2) AND ($3::text[] IS NULL OR target = ANY ($3))
    AND ($4::timestamptz IS NULL OR time >= $4) AND ($5::timestamptz IS NULL OR time < $5)
    AND ($6::bigint IS NULL
      OR (time, position) < ('epoch'::timestamptz + $6::bigint * interval '1 microsecond', $7::bigint))
  ORDER BY time DESC, position DESC LIMIT $8`;
