import { Injectable } from '@nestjs/common';

import type { Role } from '../../domain/access/role.ts';
import { ApiKeys, type StoredKey } from '../../ports/api-keys.ts';
import { ApiKeyRow } from './api-key.row.ts';
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
    const result = await this.database.withManager((manager) => manager.delete(ApiKeyRow, { name }));
    return (result.affected ?? 0) > 0;
  }
}
