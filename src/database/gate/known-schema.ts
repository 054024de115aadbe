import type { Queries } from '../../ports/queries.ts';
import { TABLES } from '../schema/tables.ts';
import { readFunctionTexts } from './apply-functions.ts';
import { compareReleases } from './compare-releases.ts';
import { prepared } from '../connection/prepared.ts';

const NAMED = 5;

/** The parts of a schema: functions, and tables with their columns. */
interface Parts {
  readonly names: readonly string[];
  /** Names with parameters. */
  readonly functions: readonly string[];
  readonly tables: readonly string[];
  readonly columns: readonly string[];
}

/** The ids of functions' and tables' rows in PostgreSQL's catalog, which show whether one of them has changed. */
interface Ids {
  readonly functions: readonly string[];
  readonly tables: readonly string[];
}

interface FunctionRow {
  readonly name: string;
  readonly signature: string;
  readonly id: string;
}

interface ColumnRow {
  readonly table_name: string;
  readonly name: string;
  readonly id: string;
}

/** The names that this release uses and the database has. */
interface Present {
  readonly functions: readonly FunctionRow[];
  readonly columns: readonly ColumnRow[];
}

/** The reason why a session cannot write: the server is a standby, or `default_transaction_read_only` guards it. */
type NoWrites = 'standby' | 'guard';

interface StateRow {
  readonly no_writes: NoWrites | null;
  readonly version: string;
}

const NO_PARTS: Parts = { names: [], functions: [], tables: [], columns: [] };

/**
 * The tables, columns and functions that this release uses. Newer releases may add to them. Where one is missing, the
 * database has the schema of a release beside which this one cannot run.
 */
export class KnownSchema {
  private parts: Parts | null = null;
  private ids: Ids = { functions: [], tables: [] };
  /** The version of the catalog's rows with which nothing was missing. */
  private complete: string | null = null;

  /** Reads which parameters and columns the functions and tables have after this release's migrations. */
  async learn(queries: Queries): Promise<void> {
    if (this.parts !== null) return;
    const names = readFunctionTexts().map(({ name }) => name);
    const { functions, columns } = await readPresent(queries, names);
    const signatures = new Map(functions.map(({ name, signature }) => [name, signature]));
    this.parts = {
      names,
      functions: names.map((name) => signatures.get(name) ?? `${name}()`),
      tables: columns.map((column) => column.table_name),
      columns: columns.map(({ name }) => name),
    };
  }

  /** Returns the missing names, and the reason why the session cannot write. Compares names only after a change. */
  async check(queries: Queries): Promise<{ missing: readonly string[]; noWrites: NoWrites | null }> {
    const state = await this.state(queries);
    const noWrites = state === undefined ? 'standby' : state.no_writes;
    if (noWrites !== null || state?.version === this.complete) return { missing: [], noWrites };
    const { names, functions, tables, columns } = this.parts ?? NO_PARTS;
    // A restored table has another row in the catalog.
    this.ids = idsOf(await readPresent(queries, names));
    const changed = await this.state(queries);
    const [row] = await queries.query<{ missing: string[] }>(MISSING, [TABLES, functions, tables, columns]);
    const missing = row?.missing ?? [];
    this.complete = missing.length === 0 ? (changed?.version ?? null) : null;
    return { missing, noWrites };
  }

  private async state(queries: Queries): Promise<StateRow | undefined> {
    const [state] = await queries.query<StateRow>(STATE, [this.ids.functions, this.ids.tables]);
    return state;
  }
}

async function readPresent(queries: Queries, names: readonly string[]): Promise<Present> {
  return {
    functions: await queries.query<FunctionRow>(FUNCTIONS, [names]),
    columns: await queries.query<ColumnRow>(COLUMNS, [TABLES]),
  };
}

function idsOf({ functions, columns }: Present): Ids {
  return {
    functions: functions.map(({ id }) => id),
    tables: [...new Set(columns.map(({ id }) => id))],
  };
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

/** Describes in one line a schema that is not this release's. */
export function schemaWords(ours: string, recorded: string, missing: readonly string[]): string {
  const more = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : '';
  const names = missing.slice(0, NAMED).map((name) => name.replace(/\(.*\)$/, '()'));
  return `this is release ${ours}, the schema is of release ${recorded}: it has no ${names.join(', ')}${more}`;
}

const FUNCTIONS = `
  SELECT proname AS name, oid::regprocedure::text AS signature, oid::text AS id FROM pg_proc
  WHERE pronamespace = current_schema()::regnamespace AND proname = ANY ($1::text[])`;

const COLUMNS = `
  SELECT c.relname AS table_name, a.attname AS name, c.oid::text AS id
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY ($1::text[]) AND c.relkind = 'r'`;

const RELEASES = `SELECT DISTINCT release FROM paybell_function`;

/** A change of a function, a table or a column gives its rows in the catalog another transaction's id, or removes them. */
const STATE = prepared(`
  SELECT CASE WHEN pg_is_in_recovery() THEN 'standby'
    WHEN current_setting('transaction_read_only')::boolean THEN 'guard' END AS no_writes, concat_ws(' ',
    (SELECT concat_ws(' ', count(*), sum(xmin::text::bigint)) FROM pg_proc WHERE oid = ANY ($1::oid[])),
    (SELECT concat_ws(' ', count(*), sum(xmin::text::bigint)) FROM pg_class WHERE oid = ANY ($2::oid[])),
    (SELECT concat_ws(' ', count(*), sum(xmin::text::bigint)) FROM pg_attribute
      WHERE attrelid = ANY ($2::oid[]) AND attnum > 0)
  ) AS version`);

const MISSING = `
  SELECT ARRAY(
    SELECT name FROM unnest($1::text[]) name WHERE to_regclass(name) IS NULL
    UNION ALL
    SELECT signature FROM unnest($2::text[]) signature WHERE to_regprocedure(signature) IS NULL
    UNION ALL
    SELECT known.table_name || '.' || known.name
    FROM unnest($3::text[], $4::text[]) known (table_name, name)
      LEFT JOIN pg_attribute a ON a.attrelid = to_regclass(known.table_name) AND a.attname = known.name AND NOT a.attisdropped
    WHERE a.attrelid IS NULL AND to_regclass(known.table_name) IS NOT NULL
  ) AS missing`;
