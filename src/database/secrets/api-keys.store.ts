import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Not, type Repository } from 'typeorm';

import type { Role } from '../../domain/access/role.ts';
import { ApiKeys, type StoredKey } from '../../ports/api-keys.ts';
import { Database } from '../connection/database.ts';
import { ApiKeyEntity } from '../entities/api-key.entity.ts';
import { KeyUseEntity } from '../entities/key-use.entity.ts';
import { SessionEntity } from '../entities/session.entity.ts';

/** API keys in PostgreSQL, as hashes. */
@Injectable()
export class PostgresApiKeys extends ApiKeys {
  constructor(
    private readonly database: Database,
    @InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>,
  ) {
    super();
  }

  list(): Promise<StoredKey[]> {
    return this.database.withRepository(this.keys, (keys) => keys.find({ order: { createdAt: 'ASC' } }));
  }

  async addKey(name: string, hash: string, role: Role): Promise<boolean> {
    const result = await this.database.withRepository(this.keys, (keys) =>
      keys.createQueryBuilder().insert().values({ name, hash, role }).orIgnore().returning('name').execute(),
    );
    return (result.raw as unknown[]).length > 0;
  }

  remove(name: string): Promise<boolean> {
    return this.database.transaction(async (_queries, manager) => {
      const key = await manager.withRepository(this.keys).findOneBy({ name });
      return key !== null && removeKey(manager, key);
    });
  }

  removeUnlessLastAdmin(name: string): Promise<'removed' | 'unknown' | 'last_admin'> {
    return this.database.transaction(async (queries, manager) => {
      // Without the lock, two removals at once would each count the other's key.
      await queries.query(`LOCK TABLE api_key IN SHARE ROW EXCLUSIVE MODE`);
      const keys = manager.withRepository(this.keys);
      const key = await keys.findOneBy({ name });
      if (key === null) return 'unknown';
      const isNeeded = key.role === 'admin' && !(await keys.existsBy({ role: 'admin', name: Not(name) }));
      if (isNeeded) return 'last_admin';
      await removeKey(manager, key);
      return 'removed';
    });
  }
}

/** Removes the key with its last use and its sessions. False: another process has removed it meanwhile. */
async function removeKey(manager: EntityManager, { name, hash }: ApiKeyEntity): Promise<boolean> {
  const { affected } = await manager.delete(ApiKeyEntity, { name, hash });
  if (affected !== 1) return false;
  await manager.delete(KeyUseEntity, { hash });
  await manager.delete(SessionEntity, { keyHash: hash });
  return true;
}
