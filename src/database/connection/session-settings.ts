/**
 * Every setting that a server, a database or a role may have and that changes how values are written, read or parsed,
 * how a statement behaves, or whether it may run: those that pg_settings lists with the contexts `user` and
 * `superuser`. Settings for planning (jit apart), logging and storage places are left out, and so are those for
 * durability, which the operator decides.
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
  // Compiling the plan of a list takes a second, and running it a few milliseconds.
  jit: 'off',
  // The limits that end statements and sessions.
  exit_on_error: 'off',
  lock_timeout: '0',
  idle_session_timeout: '0',
  transaction_timeout: '0',
} as const;

/** Settings beside SETTINGS that differ by connection, under the names that `current_setting` knows. */
export interface Limits {
  readonly statement_timeout: string;
  readonly idle_in_transaction_session_timeout: string;
  /** Left out: the setting of the server, the database or the role applies, which may forbid writes. */
  readonly default_transaction_read_only?: 'off';
}

/**
 * A query that makes the settings where `condition` holds. For a transaction it sets those that differ. For a session
 * it sets all: a server that reloads its configuration changes whatever a session has not set itself. Settings that
 * this release of PostgreSQL lacks are skipped. Names have their schema, since a schema of the search path may have
 * functions of the same names.
 */
export function settingQuery(limits: Limits, scope: 'transaction' | 'session', condition = 'true'): string {
  const isLocal = scope === 'transaction';
  const rows = Object.entries({ ...SETTINGS, ...limits }).map(([name, value]) => `('${name}', '${value}')`);
  if (isLocal && limits.default_transaction_read_only === undefined) rows.push(STANDBY_FAILS);
  return `SELECT pg_catalog.set_config(name, wanted, ${isLocal}) AS value
    FROM (VALUES ${rows.join(', ')}) AS settings (name, wanted)
    WHERE ${condition} AND (pg_catalog.current_setting(name, true) OPERATOR(pg_catalog.<>) wanted${isLocal ? '' : KEPT})`;
}

/**
 * Only a transaction on a standby differs from the default. It cannot be changed there: the attempt fails with one of
 * NO_WRITES_TO_BEGIN.
 */
const STANDBY_FAILS = `('transaction_read_only', pg_catalog.current_setting('default_transaction_read_only'))`;

/** Only a superuser may set `session_replication_role`, even to its present value. */
const KEPT = ` OR pg_catalog.current_setting(name, true) IS NOT NULL AND (
      name OPERATOR(pg_catalog.<>) 'session_replication_role'
      OR pg_catalog.current_setting('is_superuser') OPERATOR(pg_catalog.=) 'on')`;
