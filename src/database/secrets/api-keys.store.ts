import { Injectable } from '@nestjs/common';

import { ApiKeys } from '../../ports/api-keys.ts';
import { ApiKeyRow } from './api-key.row.ts';
import { Database } from '../connection/database.ts';

/** API keys in PostgreSQL, as hashes. */
@Injectable()
export class PostgresApiKeys extends ApiKeys {
  constructor(private readonly database: Database) {
    super();
  }

  async list(): Promise<{ name: string; hash: string; createdAt: Date }[]> {
    return this.database.withManager((manager) => manager.find(ApiKeyRow, { order: { createdAt: 'ASC' } }));
  }

  async add(name: string, hash: string): Promise<boolean> {
    const result = await this.database.withManager((manager) =>
      manager
        .createQueryBuilder()
        .insert()
        .into(ApiKeyRow)
        .values({ name, hash })
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
