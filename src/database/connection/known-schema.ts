import type { Queries } from '../../ports/queries.ts';
import { TABLES } from '../schema/tables.ts';
import { readFunctionTexts } from './apply-functions.ts';
import { compareReleases } from './compare-releases.ts';

const NAMED = 5;

/** The parts of a schema: its functions with their parameters, and its columns. */
interface Parts {
  readonly functions: readonly string[];
  readonly tables: readonly string[];
  readonly columns: readonly string[];
}

/**
 * The tables, columns and functions that this release uses. Newer releases may add to them; where one is missing, the
 * database has the schema of a release that this one can't run beside.
 */
export class KnownSchema {
  private parts: Parts | null = null;

  /** Reads the parameters and the columns that functions and tables have after this release's migrations. */
  async learn(queries: Queries): Promise<void> {
    if (this.parts !== null) return;
    const names = readFunctionTexts().map(({ name }) => name);
    const found = await queries.query<{ name: string; signature: string }>(FUNCTIONS, [names]);
    const signatures = new Map(found.map(({ name, signature }) => [name, signature]));
    const columns = await queries.query<{ table_name: string; name: string }>(COLUMNS, [TABLES]);
    this.parts = {
      functions: names.map((name) => signatures.get(name) ?? `${name}()`),
      tables: columns.map((column) => column.table_name),
      columns: columns.map(({ name }) => name),
    };
  }

  /** What is missing, and whether the server takes no writes. */
  async check(queries: Queries): Promise<{ missing: readonly string[]; isReadOnly: boolean }> {
    const { functions, tables, columns } = this.parts ?? { functions: [], tables: [], columns: [] };
    const values = [TABLES, functions, tables, columns];
    const [row] = await queries.query<{ missing: string[]; is_read_only: boolean }>(CHECK, values);
    return { missing: row?.missing ?? [], isReadOnly: row?.is_read_only !== false };
  }
}

/** The newest release that has brought the database up, or `none` where none is recorded. */
export async function recordedRelease(queries: Queries): Promise<string> {
  const rows = await queries.query<{ release: string }>(RELEASES).catch(() => []);
  return (
    rows
      .map(({ release }) => release)
      .sort(compareReleases)
      .at(-1) ?? 'none'
  );
}

/** One line about a schema that is not this release's. */
export function schemaWords(ours: string, recorded: string, missing: readonly string[]): string {
  const more = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : '';
  const names = missing.slice(0, NAMED).map((name) => name.replace(/\(.*\)$/, '()'));
  return `this is release ${ours}, the schema is of release ${recorded}: it has no ${names.join(', ')}${more}`;
}

const FUNCTIONS = `
  SELECT proname AS name, oid::regprocedure::text AS signature FROM pg_proc
  WHERE pronamespace = current_schema()::regnamespace AND proname = ANY ($1::text[])`;

const COLUMNS = `
  SELECT c.relname AS table_name, a.attname AS name
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY ($1::text[]) AND c.relkind = 'r'`;

const RELEASES = `SELECT DISTINCT release FROM paybell_function`;

const CHECK = `
  SELECT current_setting('transaction_read_only')::boolean AS is_read_only, ARRAY(
    SELECT name FROM unnest($1::text[]) name WHERE to_regclass(name) IS NULL
    UNION ALL
    SELECT signature FROM unnest($2::text[]) signature WHERE to_regprocedure(signature) IS NULL
    UNION ALL
    SELECT known.table_name || '.' || known.name
    FROM unnest($3::text[], $4::text[]) known (table_name, name)
      LEFT JOIN pg_attribute a ON a.attrelid = to_regclass(known.table_name) AND a.attname = known.name AND NOT a.attisdropped
    WHERE a.attrelid IS NULL AND to_regclass(known.table_name) IS NOT NULL
  ) AS missing`;
