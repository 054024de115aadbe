import type { Config } from '../../config/config.ts';
import { MIGRATIONS, TABLES } from '../../database/schema/migrations.ts';
import { counted } from '../../domain/story/words.ts';
import { openPool, type Query } from './open-pool.ts';
import { wordsOf } from '../output/exit-status.ts';
import { ADVICE } from './advice.ts';
import type { Findings } from './findings.ts';

interface Server {
  readonly version: string;
  readonly number: number;
  readonly encoding: string;
  readonly is_read_only: boolean;
  readonly connections: number;
  readonly max_connections: number;
  readonly may_create: boolean;
  readonly size: string;
}

const OLDEST = 140_000;
const SKEW_WARNS_MS = 5_000;
const FULL = 0.8;

export async function examineDatabase(config: Config, findings: Findings): Promise<void> {
  const isEmbedded = config.databaseUrls === null;
  try {
    const { query, close } = await openPool(config);
    try {
      await examineServer(query, findings);
      await examineSchema(query, findings);
      await examineClock(query, findings);
    } finally {
      await close();
    }
  } catch (error) {
    findings.wrong('database', wordsOf(error), isEmbedded ? ADVICE.embedded : ADVICE.database);
  }
}

async function examineServer(query: Query, findings: Findings): Promise<void> {
  const [server] = await query<Server>(SERVER);
  if (server === undefined) return;
  const { version, number, encoding, is_read_only, connections, max_connections, may_create, size } = server;
  const detail = `PostgreSQL ${version}, ${size}, ${connections} of ${max_connections} connections`;
  if (number < OLDEST) findings.wrong('database', detail, ADVICE.postgres);
  else if (encoding !== 'UTF8')
    findings.wrong('database', `${detail}: its encoding is ${encoding}`, ADVICE.encoding);
  else if (is_read_only) findings.wrong('database', `${detail}: it takes no writes`, ADVICE.readOnly);
  else if (connections > FULL * max_connections) findings.warning('database', detail, ADVICE.connections);
  else findings.ok('database', detail);
  if (!may_create) findings.wrong('rights', 'the user may not create tables in its schema', ADVICE.rights);
}

async function examineSchema(query: Query, findings: Findings): Promise<void> {
  const [{ is_new } = { is_new: true }] = await query<{ is_new: boolean }>(IS_NEW);
  if (is_new) return findings.ok('schema', 'none yet: the first start of Paybell makes it');
  const rows = await query<{ name: string }>('SELECT name FROM paybell_migration');
  const applied = new Set(rows.map(({ name }) => name));
  const missing = MIGRATIONS.filter(({ name }) => !applied.has(name));
  const later = applied.size - (MIGRATIONS.length - missing.length);
  if (missing.length > 0)
    findings.warning('schema', `${counted(missing.length, 'migration')} missing`, ADVICE.migrations);
  else if (later > 0)
    findings.warning('schema', `a later release has applied ${later} more`, ADVICE.laterRelease);
  else findings.ok('schema', `${counted(MIGRATIONS.length, 'migration')}, all applied`);
  const denied = await query<{ name: string }>(DENIED, [TABLES]);
  const names = denied.map(({ name }) => name).join(', ');
  if (denied.length > 0) findings.wrong('rights', `the user may not read and write ${names}`, ADVICE.rights);
  else findings.ok('rights', 'the user may read, write and migrate all tables');
}

/** The answer is half of the round trip old. */
async function examineClock(query: Query, findings: Findings): Promise<void> {
  const startedAt = performance.now();
  const [row] = await query<{ ms: number }>(
    `SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms`,
  );
  const tripMs = performance.now() - startedAt;
  const skewMs = Math.round(Date.now() - tripMs / 2 - (row?.ms ?? 0));
  const detail = `this machine's clock differs from the database's by ${skewMs / 1_000} s`;
  if (Math.abs(skewMs) < SKEW_WARNS_MS + tripMs) findings.ok('clock', detail);
  else findings.warning('clock', detail, ADVICE.clock);
}

const SERVER = `
  SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
    getdatabaseencoding() AS encoding,
    pg_is_in_recovery() OR current_setting('transaction_read_only')::bool AS is_read_only,
    (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
    current_setting('max_connections')::int AS max_connections,
    coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS may_create,
    pg_size_pretty(pg_database_size(current_database())) AS size`;

const IS_NEW = `SELECT to_regclass('paybell_migration') IS NULL AS is_new`;

const DENIED = `
  SELECT t AS name FROM unnest($1::text[]) t JOIN pg_class c ON c.oid = to_regclass(t)
  WHERE NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
    AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE')
    AND pg_has_role(c.relowner, 'USAGE'))`;
