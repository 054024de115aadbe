import type { Queries } from '../../ports/queries.ts';
import { TABLES } from '../schema/tables.ts';
import { readFunctionTexts } from './apply-functions.ts';
import { compareReleases } from './compare-releases.ts';
import { prepared } from '../connection/prepared.ts';

const NAMED = 5;

/** A table, a column or a function, with its parameters, that the database has. */
interface Part {
  readonly name: string;
  /** The id of the function's or table's row in PostgreSQL's catalog, which shows whether it has changed. */
  readonly id: string;
}

/** The reason why a session cannot write: the server is a standby, or `default_transaction_read_only` guards it. */
type NoWrites = 'standby' | 'guard';

interface StateRow {
  readonly no_writes: NoWrites | null;
  readonly version: string;
}

/**
 * The tables, columns and functions that this release uses. Newer releases may add others. If one is missing, the database has
 * a schema beside which this release cannot run.
 */
export class KnownSchema {
  private readonly functions = readFunctionTexts().map(({ name }) => name);
  private known: readonly string[] = TABLES;
  private ids: readonly string[] = [];
  /** The version of the catalog's rows with which nothing was missing. */
  private complete: string | null = null;

  /** Reads which parameters and columns the functions and tables have after this release's migrations. */
  async learn(queries: Queries): Promise<void> {
    if (this.known !== TABLES) return;
    const present = (await this.readParts(queries)).map(({ name }) => name);
    const made = new Set(present.map(withoutParameters));
    const absent = this.functions.filter((name) => !made.has(name)).map((name) => `${name}()`);
    this.known = [...new Set([...TABLES, ...present, ...absent])];
  }

  /** Returns the missing names, and the reason why the session cannot write. Compares names only after a change. */
  async check(queries: Queries): Promise<{ missing: readonly string[]; noWrites: NoWrites | null }> {
    const state = await this.state(queries);
    const noWrites = state === undefined ? 'standby' : state.no_writes;
    if (noWrites !== null || state?.version === this.complete) return { missing: [], noWrites };
    // A restored table has another row in the catalog.
    this.ids = (await this.readParts(queries)).map(({ id }) => id);
    const changed = await this.state(queries);
    const missing = this.missingAmong(await this.readParts(queries));
    this.complete = missing.length === 0 ? (changed?.version ?? null) : null;
    return { missing, noWrites };
  }

  /** A missing table is named without its columns. */
  private missingAmong(present: readonly Part[]): string[] {
    const names = new Set(present.map(({ name }) => name));
    const missing = this.known.filter((name) => !names.has(name));
    return missing.filter((name) => !name.includes('.') || !missing.includes(name.split('.')[0] ?? ''));
  }

  private readParts(queries: Queries): Promise<Part[]> {
    return queries.query<Part>(PARTS, [this.functions, TABLES]);
  }

  private async state(queries: Queries): Promise<StateRow | undefined> {
    const [state] = await queries.query<StateRow>(STATE, [this.ids]);
    return state;
  }
}

function withoutParameters(name: string): string {
  return name.replace(/\(.*\)$/, '');
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

const PARTS = `
  SELECT oid::regprocedure::text AS name, oid::text AS id FROM pg_proc
  WHERE pronamespace = current_schema()::regnamespace AND proname = ANY ($1::text[])
  UNION ALL
  SELECT concat_ws('.', c.relname, part.attname), c.oid::text
  FROM pg_class c, LATERAL (
    SELECT NULL AS attname UNION ALL
    SELECT attname FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) part
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY ($2::text[]) AND c.relkind = 'r'`;

const RELEASES = `SELECT DISTINCT release FROM paybell_function`;

/** A change of a function, a table or a column gives its rows in the catalog another transaction's id, or removes them. */
const STATE = prepared(`
  SELECT CASE WHEN pg_is_in_recovery() THEN 'standby'
    WHEN current_setting('transaction_read_only')::boolean THEN 'guard' END AS no_writes, concat_ws(' ',
    (SELECT concat_ws(' ', count(*), sum(xmin::text::bigint)) FROM pg_proc WHERE oid = ANY ($1::oid[])),
    (SELECT concat_ws(' ', count(*), sum(xmin::text::bigint)) FROM pg_class WHERE oid = ANY ($1::oid[])),
    (SELECT concat_ws(' ', count(*), sum(xmin::text::bigint)) FROM pg_attribute
      WHERE attrelid = ANY ($1::oid[]) AND attnum > 0)
  ) AS version`);
