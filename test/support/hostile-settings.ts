import { randomBytes } from 'node:crypto';

import { onServer } from './database.ts';

/** The least convenient value of each setting that a role or a database may have. */
export const HOSTILE: Readonly<Record<string, string>> = {
  client_encoding: 'LATIN1',
  DateStyle: 'German, DMY',
  IntervalStyle: 'sql_standard',
  TimeZone: 'Pacific/Chatham',
  timezone_abbreviations: 'India',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  xmlbinary: 'hex',
  xmloption: 'document',
  lc_monetary: 'POSIX',
  lc_numeric: 'POSIX',
  lc_time: 'POSIX',
  quote_all_identifiers: 'on',
  array_nulls: 'off',
  standard_conforming_strings: 'off',
  escape_string_warning: 'off',
  backslash_quote: 'on',
  transform_null_equals: 'on',
  search_path: 'elsewhere, pg_catalog',
  default_text_search_config: 'pg_catalog.german',
  gin_fuzzy_search_limit: '1',
  row_security: 'off',
  session_replication_role: 'replica',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  'plpgsql.extra_errors': 'all',
  jit: 'on',
  exit_on_error: 'on',
  lock_timeout: '1ms',
  // Long enough for the statements that set the limits themselves.
  statement_timeout: '500ms',
  idle_in_transaction_session_timeout: '500ms',
};

/** A superuser with these settings, for a database that has them too; `drop` the role after the database. */
export async function hostileRole(
  database: string,
  settings: Readonly<Record<string, string>> = HOSTILE,
): Promise<{ urlOf: (url: string) => string; drop: () => Promise<void> }> {
  const name = `paybell_hostile_${randomBytes(4).toString('hex')}`;
  await onServer(`CREATE ROLE ${name} LOGIN SUPERUSER PASSWORD '${name}'`);
  for (const [setting, value] of Object.entries(settings))
    for (const target of [`ROLE ${name}`, `DATABASE ${database}`])
      // PostgreSQL would read a quoted search path as one name.
      await onServer(`ALTER ${target} SET ${setting} TO ${setting === 'search_path' ? value : `'${value}'`}`);
  return {
    urlOf: (given) => {
      const url = new URL(given);
      url.username = name;
      url.password = name;
      return url.href;
    },
    drop: async () => void (await onServer(`DROP ROLE ${name}`)),
  };
}
