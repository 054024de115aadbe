import type { DataSource } from 'typeorm';

/** How many rows this connection and others have read of these tables; of what others read, the server counts some later. */
export async function rowsRead(source: DataSource, tables: readonly string[]): Promise<number> {
  await source.query(`SELECT pg_stat_force_next_flush()`);
  const [row] = await source.query<{ read: string }[]>(
    `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) AS read FROM pg_stat_user_tables WHERE relname = ANY ($1)`,
    [tables],
  );
  return Number(row?.read);
}

/** What is read is counted only now and then before PostgreSQL 15. */
export async function countsRowsRead(source: DataSource): Promise<boolean> {
  const [row] = await source.query<{ version: string }[]>(
    `SELECT current_setting('server_version_num') AS version`,
  );
  return Number(row?.version) >= 150_000;
}
