import { VERSION } from '../../platform/version.ts';
import { StoreUnavailable } from '../../ports/payments.ts';
import { StoreBusy } from '../../ports/store-busy.ts';
import type { DatabaseProblem } from '../../ports/readiness.ts';
import { READ_ONLY, WritesGuarded } from '../connection/connection-errors.ts';
import type { Database } from '../connection/database.ts';
import { failureWords } from '../connection/failure-words.ts';
import type { HistoryWatch } from '../history/history-watch.ts';
import { KnownSchema, recordedRelease, schemaWords } from './known-schema.ts';
import { SmallWrite } from './small-write.ts';

/** The database has a schema beside which this release cannot run. */
export class OtherSchema extends Error {}

/** The checks that the database must pass while it counts as ready. */
export class DatabaseChecks {
  private readonly schema = new KnownSchema();
  private readonly write: SmallWrite;

  constructor(
    private readonly database: Database,
    history: HistoryWatch,
    private readonly respectsGuard = true,
  ) {
    this.write = new SmallWrite(database, history);
  }

  /**
   * Call it once this release's migrations are applied. Throws OtherSchema where a later release has changed their tables.
   */
  async learnSchema(): Promise<void> {
    await this.database.inspect((queries) => this.schema.learn(queries));
    const problem = await this.read();
    if (problem?.check === 'schema') throw new OtherSchema(problem.detail);
    if (problem !== null) throw new StoreUnavailable({ reason: problem.detail });
  }

  /** Checks without a write whether the database answers, declares that it takes writes, and has this release's schema. */
  async read(): Promise<DatabaseProblem | null> {
    try {
      return await this.database.inspect(async (queries) => {
        const { missing, noWrites } = await this.schema.check(queries);
        if (noWrites === 'guard') throw new WritesGuarded();
        if (noWrites !== null) throw Object.assign(new Error('It takes no writes.'), { code: READ_ONLY });
        if (missing.length === 0) return null;
        return { check: 'schema', detail: schemaWords(VERSION, await recordedRelease(queries), missing) };
      });
    } catch (error) {
      if (error instanceof StoreBusy) return null;
      return { check: 'answer', detail: failureWords((error as Error).cause ?? error) };
    }
  }

  /** Runs all checks, including a small write at most every five seconds. */
  async all(): Promise<DatabaseProblem | null> {
    const problem = await this.read();
    if (problem !== null) return problem;
    const why = await this.write.problem();
    return why === null ? null : { check: 'write', detail: why };
  }

  /**
   * Reads the write guard as a new session would get it: older sessions still write. Null: new sessions write, or the answer
   * is not known.
   */
  async guard(): Promise<DatabaseProblem | null> {
    if (!this.respectsGuard) return null;
    const rows = this.database.ask<{ is_guarded: boolean }>(GUARDED, []);
    const [row] = await rows.catch(() => []);
    return row?.is_guarded === true ? { check: 'write', detail: failureWords(new WritesGuarded()) } : null;
  }
}

/**
 * A setting for this role in this database counts before a setting for the role alone, and so on, as at the beginning of a
 * session.
 */
const GUARDED = `
  SELECT split_part(setting, '=', 2)::boolean AS is_guarded FROM pg_db_role_setting s, unnest(s.setconfig) setting
  WHERE setting LIKE 'default_transaction_read_only=%'
    AND s.setrole IN (0, (SELECT oid FROM pg_roles WHERE rolname = session_user))
    AND s.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
  ORDER BY s.setrole <> 0 DESC, s.setdatabase <> 0 DESC LIMIT 1`;
