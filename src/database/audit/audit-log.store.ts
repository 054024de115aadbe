import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository, type SelectQueryBuilder } from 'typeorm';

import { spellingsOf } from '../../domain/payment/reading.ts';
import { AuditLog, type AuditedChange, type AuditEntry, type AuditFilter } from '../../ports/audit-log.ts';
import { readAuditCursor, writeAuditCursor } from '../connection/cursor.ts';
import { Batcher, REQUESTS } from '../../platform/scheduling/batcher.ts';
import { failsAll } from '../connection/connection-errors.ts';
import { Database } from '../connection/database.ts';
import { AuditEntryEntity } from '../entities/audit-entry.entity.ts';

interface AuditResult {
  readonly id: string;
  readonly status: number;
  readonly target: string | null;
  /** Null: the result adds no values to those of the entry. */
  readonly values: Readonly<Record<string, unknown>> | null;
}

/** The audit log in PostgreSQL. A trigger keeps entries from being changed. */
@Injectable()
export class PostgresAuditLog extends AuditLog {
  private readonly begins = new Batcher<AuditedChange, string>((changes) => this.beginGroup(changes), {
    ...REQUESTS,
    failsAll,
  });
  private readonly results = new Batcher<AuditResult>((results) => this.finishGroup(results), {
    ...REQUESTS,
    failsAll,
    // An entry keeps the first of its results.
    keyOf: ({ id }) => id,
  });

  private readonly withdrawals = new Batcher<string>((ids) => this.withdrawGroup(ids), {
    ...REQUESTS,
    failsAll,
  });

  constructor(
    private readonly database: Database,
    @InjectRepository(AuditEntryEntity) private readonly entries: Repository<AuditEntryEntity>,
  ) {
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

  refuse(id: string, status: number): Promise<void> {
    return this.results.add({ id, status, target: null, values: null });
  }

  withdraw(id: string): Promise<void> {
    return this.withdrawals.add(id);
  }

  async list(filter: AuditFilter): Promise<{ entries: AuditEntry[]; nextCursor: string | null }> {
    const { limit } = filter;
    const { entities, raw } = await this.database.reads.withRepository(this.entries, (entries) =>
      narrowed(entries.createQueryBuilder('entry'), filter)
        .addSelect('(extract(epoch FROM entry.time) * 1000000)::bigint::text', 'time_us')
        .orderBy({ 'entry.time': 'DESC', 'entry.id': 'DESC' })
        .limit(limit + 1)
        .getRawAndEntities<{ time_us: string }>(),
    );
    const [last, timeUs] = [entities[limit - 1], raw[limit - 1]?.time_us];
    const isMore = entities.length > limit && last !== undefined && timeUs !== undefined;
    const nextCursor = isMore ? writeAuditCursor({ id: last.id, timeUs }) : null;
    return { entries: entities.slice(0, limit), nextCursor };
  }

  private async beginGroup(changes: readonly AuditedChange[]): Promise<string[]> {
    // TypeORM's types do not allow unknown values in a JSON column.
    const rows = changes.map(({ values, ...change }) => ({
      ...change,
      values: values as Record<string, object>,
    }));
    const inserted = await this.database.withRepository(this.entries, (entries) => entries.insert(rows));
    return inserted.identifiers.map(({ id }) => id as string);
  }

  private async finishGroup(results: readonly AuditResult[]): Promise<void[]> {
    await this.database.query(FINISH, [
      results.map(({ id }) => id),
      results.map(({ status }) => status),
      results.map(({ target }) => target),
      results.map(({ values }) => (values === null ? null : JSON.stringify(values))),
    ]);
    return [];
  }

  private async withdrawGroup(ids: readonly string[]): Promise<void[]> {
    await this.database.query('SELECT withdraw_audit($1::bigint[])', [ids]);
    return [];
  }
}

/** Pages by time, then position. After a clock was set back, entries stand where their recorded times put them. */
function narrowed(
  entries: SelectQueryBuilder<AuditEntryEntity>,
  { who, action, target, after, before, cursor }: AuditFilter,
): SelectQueryBuilder<AuditEntryEntity> {
  if (who !== undefined) entries.andWhere({ who });
  if (action !== undefined) entries.andWhere({ action });
  if (target !== undefined) entries.andWhere({ target: In(spellingsOf(target)) });
  if (after !== undefined) entries.andWhere('entry.time >= :after', { after });
  if (before !== undefined) entries.andWhere('entry.time < :before', { before });
  if (cursor !== undefined) entries.andWhere(BEHIND, readAuditCursor(cursor));
  return entries;
}

const BEHIND = `
  (entry.time, entry.id) < ('epoch'::timestamptz + :timeUs::bigint * interval '1 microsecond', :id::bigint)`;

const FINISH = `
  UPDATE audit_entry a SET status = r.status, target = coalesce(a.target, r.target),
    "values" = CASE WHEN r.given IS NULL THEN '{}' ELSE r.given::jsonb || a."values" END
  FROM unnest($1::bigint[], $2::smallint[], $3::text[], $4::text[]) AS r (id, status, target, given)
  WHERE a.position = r.id AND a.status IS NULL`;
