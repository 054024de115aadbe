import { Injectable } from '@nestjs/common';

import { type DatabaseFacts, DatabaseVersion } from '../../ports/database-version.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import { Database } from '../connection/database.ts';
import { recordedRelease } from './known-schema.ts';

interface Row {
  readonly server_version: string;
  readonly migrations: readonly string[];
}

/** The name of a migration's class: its subject, then its time in milliseconds. */
const TIME = /\d{13}$/;

@Injectable()
export class PostgresDatabaseVersion extends DatabaseVersion {
  constructor(private readonly database: Database) {
    super();
  }

  async read(): Promise<DatabaseFacts> {
    const [row] = await this.database.reads.query<Row>(READ);
    const found = row?.migrations ?? [];
    const own = MIGRATIONS.map(({ name }) => name);
    return {
      serverVersion: row?.server_version ?? '',
      migration: found.at(-1)?.replace(TIME, '') ?? null,
      schemaRelease: await recordedRelease(this.database.reads),
      isOwnSchema: found.length === own.length && own.every((name) => found.includes(name)),
    };
  }
}

/** Leaves out the distribution's name, which follows in brackets. */
const READ = `
  SELECT split_part(current_setting('server_version'), ' ', 1) AS server_version,
    ARRAY(SELECT name::text FROM paybell_migration ORDER BY "timestamp") AS migrations`;
