/**
 * Every setting that a server, a database or a role may have and that changes how values are written, read or parsed, what a
 * statement does, or whether it is let run: in pg_settings, those of the contexts `user` and `superuser`. Left out are those that
 * only plan, log or name a place to store, and those of durability, which are the operator's.
 */
const SETTINGS = {
  // How values are written and read.
  client_encoding: 'UTF8',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  timezone_abbreviations: 'Default',
  bytea_output: 'hex',
  extra_float_digits: '1',
  xmlbinary: 'base64',
  xmloption: 'content',
  lc_monetary: 'C',
  lc_numeric: 'C',
  lc_time: 'C',
  quote_all_identifiers: 'off',
  array_nulls: 'on',
  // How statements are parsed.
  standard_conforming_strings: 'on',
  escape_string_warning: 'on',
  backslash_quote: 'safe_encoding',
  transform_null_equals: 'off',
  search_path: '"$user", public',
  // The behaviour of statements.
  default_text_search_config: 'pg_catalog.simple',
  gin_fuzzy_search_limit: '0',
  row_security: 'on',
  session_replication_role: 'origin',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  'plpgsql.extra_errors': 'none',
  // The limits that end them.
  exit_on_error: 'off',
  lock_timeout: '0',
  idle_session_timeout: '0',
  transaction_timeout: '0',
} as const;

/** Beside SETTINGS, where limits differ: by their names, as `current_setting` answers them. */
export interface Limits {
  readonly statement_timeout: string;
  readonly idle_in_transaction_session_timeout: string;
  /** Without it, the setting of the server, the database or the role stands: it guards them against writers. */
  readonly default_transaction_read_only?: 'off';
}

/**
 * A query that sets them, where `condition` holds: for the transaction what differs, and for the session all, since a server that
 * reads its configuration again changes whatever a session has not set itself. A release of PostgreSQL that has not all of them has
 * the others. The names are whole, since a schema of the search path may have functions of these names.
 */
export function settingQuery(limits: Limits, scope: 'transaction' | 'session', condition = 'true'): string {
  const isLocal = scope === 'transaction';
  const rows = Object.entries({ ...SETTINGS, ...limits }).map(([name, value]) => `('${name}', '${value}')`);
  if (isLocal && limits.default_transaction_read_only === undefined) rows.push(STANDBY_FAILS);
  return `SELECT pg_catalog.set_config(name, wanted, ${isLocal}) AS value
    FROM (VALUES ${rows.join(', ')}) AS settings (name, wanted)
    WHERE ${condition} AND (pg_catalog.current_setting(name, true) OPERATOR(pg_catalog.<>) wanted${isLocal ? '' : KEPT})`;
}

/** On a standby alone a transaction differs from the default: it can't be changed there, which is one of NO_WRITES_TO_BEGIN. */
const STANDBY_FAILS = `('transaction_read_only', pg_catalog.current_setting('default_transaction_read_only'))`;

/** Of these only a superuser may set `session_replication_role`, be it to the value that it has. */
const KEPT = ` OR pg_catalog.current_setting(name, true) IS NOT NULL AND (
      name OPERATOR(pg_catalog.<>) 'session_replication_role'
      OR pg_catalog.current_setting('is_superuser') OPERATOR(pg_catalog.=) 'on')`;
