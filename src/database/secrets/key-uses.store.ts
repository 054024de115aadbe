import { Injectable } from '@nestjs/common';

import { KeyUses, type KeyUse } from '../../ports/api-keys.ts';
import { Database } from '../connection/database.ts';

/** The last use of each API key in PostgreSQL. */
@Injectable()
export class PostgresKeyUses extends KeyUses {
  constructor(private readonly database: Database) {
    super();
  }

  list(): Promise<KeyUse[]> {
    return this.database.query<KeyUse>(`SELECT hash, used_at AS "usedAt", address FROM key_use`);
  }

  async note(hash: string, address: string | null): Promise<void> {
    await this.database.query(NOTE, [hash, address]);
  }
}

const NOTE = `
  INSERT INTO key_use (hash, used_at, address) VALUES ($1, now(), $2)
  ON CONFLICT (hash) DO UPDATE SET used_at = excluded.used_at, address = excluded.address`;
