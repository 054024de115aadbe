import { Injectable } from '@nestjs/common';

import { WrongKeys } from '../../ports/wrong-keys.ts';
import { Database } from '../connection/database.ts';

/** Wrong API keys by network in PostgreSQL, in a table that a crash may empty. */
@Injectable()
export class PostgresWrongKeys extends WrongKeys {
  constructor(private readonly database: Database) {
    super();
  }

  override async addTries(
    tries: ReadonlyMap<string, number>,
    keptMs: readonly number[],
  ): Promise<ReadonlyMap<string, number>> {
    const given = [[...tries.keys()], [...tries.values()], keptMs];
    const rows = await this.database.query<{ network: string; wrong: number }>(ADD, given);
    return new Map(rows.map(({ network, wrong }) => [network, wrong]));
  }
}

/** All replicas lock rows in one order, so that no two ever wait for each other. */
const ADD = `
  WITH forgotten AS (
    DELETE FROM wrong_key WHERE network IN (
      SELECT network FROM wrong_key WHERE forgotten_at <= now() AND network <> ALL ($1::text[])
      LIMIT 2000 FOR UPDATE SKIP LOCKED))
  INSERT INTO wrong_key AS w (network, wrong, forgotten_at)
  SELECT network, wrong, now() + ($3::float8[])[least(wrong, cardinality($3::float8[]))] * interval '1 millisecond'
  FROM unnest($1::text[], $2::integer[]) AS t (network, wrong) ORDER BY network
  ON CONFLICT (network) DO UPDATE SET (wrong, forgotten_at) = (
    SELECT total, now() + ($3::float8[])[least(total, cardinality($3::float8[]))] * interval '1 millisecond'
    FROM (SELECT least(excluded.wrong + CASE WHEN w.forgotten_at > now() THEN w.wrong ELSE 0 END, 1000000) AS total) t)
  RETURNING network, wrong`;
