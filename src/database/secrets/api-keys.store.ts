import { Injectable } from '@nestjs/common';

import type { Role } from '../../domain/access/role.ts';
import { ApiKeys, type StoredKey } from '../../ports/api-keys.ts';
import { ApiKeyRow } from '../schema/api-key.row.ts';
import { Database } from '../connection/database.ts';

/** API keys in PostgreSQL, as hashes. */
@Injectable()
export class PostgresApiKeys extends ApiKeys {
  constructor(private readonly database: Database) {
    super();
  }

  async list(): Promise<StoredKey[]> {
    return this.database.withManager((manager) => manager.find(ApiKeyRow, { order: { createdAt: 'ASC' } }));
  }

  async add(name: string, hash: string, role: Role): Promise<boolean> {
    const result = await this.database.withManager((manager) =>
      manager
        .createQueryBuilder()
        .insert()
        .into(ApiKeyRow)
        .values({ name, hash, role })
        .orIgnore()
        .returning('name')
        .execute(),
    );
    return (result.raw as unknown[]).length > 0;
  }

  async remove(name: string): Promise<boolean> {
    const removed = await this.database.query(REMOVE, [name]);
    return removed.length > 0;
  }

  removeUnlessLastAdmin(name: string): Promise<'removed' | 'unknown' | 'last_admin'> {
    return this.database.transaction(async (queries) => {
      // Two removals at once would each count the other's key.
      await queries.query(`LOCK TABLE api_key IN SHARE ROW EXCLUSIVE MODE`);
      const [key] = await queries.query<{ isLast: boolean }>(IS_LAST_ADMIN, [name]);
      if (key === undefined) return 'unknown';
      if (key.isLast) return 'last_admin';
      await queries.query(REMOVE, [name]);
      return 'removed';
    });
  }
}

const REMOVE = `
  WITH gone AS (DELETE FROM api_key WHERE name = $1 RETURNING hash),
    unused AS (DELETE FROM key_use USING gone WHERE key_use.hash = gone.hash),
    signed_out AS (DELETE FROM dashboard_session s USING gone WHERE s.key_hash = gone.hash)
  SELECT 1 FROM gone`;

const IS_LAST_ADMIN = `
  SELECT k.role = 'admin' AND NOT EXISTS (
    SELECT 1 FROM api_key other WHERE other.role = 'admin' AND other.name <> k.name) AS "isLast"
  FROM api_key k WHERE k.name = $1`;
