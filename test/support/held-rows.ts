import pg from 'pg';

import { waitFor } from '../../tools/testkit/wait-for.ts';
import type { TestDatabase } from './database.ts';

const WAITING = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Resolves once this many statements wait for a lock. */
export async function untilLocked(db: TestDatabase, count = 1): Promise<void> {
  await waitFor(async () => (await db.query(WAITING)).length >= count);
}

/** Runs `work` inside the transaction of another session, which begins with this statement and is committed afterwards. */
export async function whileHeld(
  db: TestDatabase,
  [sql, parameters = []]: readonly [sql: string, parameters?: readonly unknown[]],
  work: (session: pg.Client) => Promise<void>,
  end: 'COMMIT' | 'ROLLBACK' = 'COMMIT',
): Promise<void> {
  const session = new pg.Client({ connectionString: db.directUrl });
  await session.connect();
  try {
    await session.query('BEGIN');
    await session.query(sql, [...parameters]);
    await work(session);
    await session.query(end);
  } finally {
    await session.end();
  }
}
