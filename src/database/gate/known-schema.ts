import type { Queries } from '../../ports/queries.ts';
import { TABLES } from '../schema/migrations.ts';
import { readFunctionTexts } from './apply-functions.ts';
import { compareReleases } from './compare-releases.ts';
import { prepared } from '../connection/prepared.ts';

const NAMED = 5;

/** The reason why a session cannot write: the server is a standby, or `default_transaction_read_only` guards it. */
type NoWrites = 'standby' | 'guard';

interface State {
  readonly noWrites: NoWrites | null;
  readonly missing: readonly string[];
}

/**
 * The tables, columns and functions that this release uses. Newer releases may add others. If one is missing, the database has
 * a schema beside which this release cannot run.
 */
export class KnownSchema {
  private readonly functions = readFunctionTexts().map(({ name }) => name);
  private known: readonly string[] = TABLES;

  /** Reads which parameters and columns the functions and tables have after this release's migrations. */
  async learn(queries: Queries): Promise<void> {
    if (this.known !== TABLES) return;
    const parts = await queries.query<{ name: string }>(PARTS, [this.functions, TABLES]);
    const present = parts.map(({ name }) => name);
    const made = new Set(present.map(withoutParameters));
    const absent = this.functions.filter((name) => !made.has(name)).map((name) => `${name}()`);
    this.known = [...new Set([...TABLES, ...present, ...absent])];
  }

  /** Returns the missing names, a table's without those of its columns, and the reason why the session cannot write. */
  async check(queries: Queries): Promise<State> {
    const [state] = await queries.query<State>(STATE, [this.functions, TABLES, this.known]);
    if (state === undefined) return { noWrites: 'standby', missing: [] };
    const absent = new Set(state.missing);
    const isNamed = ([table = '', column]: readonly string[]): boolean =>
      column === undefined || !absent.has(table);
    const missing = this.known.filter((name) => absent.has(name) && isNamed(name.split('.')));
    return { ...state, missing };
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

/** The tables, columns and functions of these names. */
const PARTS = `
  SELECT oid::regprocedure::text AS name FROM pg_proc
  WHERE pronamespace = current_schema()::regnamespace AND proname = ANY ($1::text[])
  UNION ALL
  SELECT concat_ws('.', c.relname, part.attname)
  FROM pg_class c, LATERAL (
    SELECT NULL AS attname UNION ALL
    SELECT attname FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) part
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY ($2::text[]) AND c.relkind = 'r'`;

const STATE = prepared(`
  SELECT CASE WHEN pg_is_in_recovery() THEN 'standby'
    WHEN current_setting('transaction_read_only')::boolean THEN 'guard' END AS "noWrites",
    ARRAY(SELECT unnest($3::text[]) EXCEPT (${PARTS})) AS missing`);

const RELEASES = `SELECT DISTINCT release FROM paybell_function`;
