import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { KeyUses, type KeyUse } from '../../ports/api-keys.ts';
import { Database } from '../connection/database.ts';
import { KeyUseEntity } from '../entities/key-use.entity.ts';

/** The last use of each API key, in PostgreSQL. */
@Injectable()
export class PostgresKeyUses extends KeyUses {
  constructor(
    private readonly database: Database,
    @InjectRepository(KeyUseEntity) private readonly uses: Repository<KeyUseEntity>,
  ) {
    super();
  }

  list(): Promise<KeyUse[]> {
    return this.database.reads.withRepository(this.uses, (uses) => uses.find());
  }

  async noteUse(hash: string, address: string | null): Promise<void> {
    await this.database.withRepository(this.uses, (uses) =>
      uses.upsert({ hash, usedAt: () => 'now()', address }, ['hash']),
    );
  }
}
