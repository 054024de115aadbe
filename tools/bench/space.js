/** The space that a stored payment takes in PostgreSQL: of each table the rows, what is out of line, and each index. */
import { shown } from './figures.js';
import { onDatabase } from './scene.js';
import { addStoredYears, USUAL } from './stored-years.js';

const PAYMENTS = Number(process.env['BENCH_SPACE_PAYMENTS'] ?? 50_000);
const MOST_BYTES = 7_000;

/** @param {import('./scene.js').Place} place */
export function measureSpace(place) {
  return onDatabase(place, async (database) => {
    await addStoredYears(database, { payments: PAYMENTS, open: 0, shape: USUAL });
    await database.pool.query('VACUUM ANALYZE');
    const { rows } = await database.pool.query(SIZES);
    const bytes = rows.reduce((sum, { size }) => sum + size, 0);
    return [
      {
        figure: `a payment of ${PAYMENTS.toLocaleString('en-US')}`,
        value: Math.round(bytes / PAYMENTS),
        unit: 'bytes',
        most: MOST_BYTES,
      },
      ...rows
        .filter(({ size }) => size / PAYMENTS >= 1)
        .map(({ name, size }) => ({ figure: `… ${name}`, text: shown(Math.round(size / PAYMENTS)) })),
    ];
  });
}

const SIZES = `
  WITH tables AS (
    SELECT oid, relname::text AS name, reltoastrelid FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
  ), parts AS (
    SELECT name, 1 AS n, name AS part, pg_table_size(oid) - coalesce(pg_total_relation_size(nullif(reltoastrelid, 0)), 0) AS bytes FROM tables
    UNION ALL
    SELECT name, 2, name || ', out of line', pg_total_relation_size(reltoastrelid) FROM tables WHERE reltoastrelid <> 0
    UNION ALL
    SELECT t.name, 3, t.name || ': index ' || i.indexrelid::regclass, pg_relation_size(i.indexrelid)
    FROM tables t JOIN pg_index i ON i.indrelid = t.oid
  )
  SELECT part AS name, bytes::float8 AS size FROM parts
  ORDER BY sum(bytes) OVER (PARTITION BY name) DESC, name, n, bytes DESC`;
