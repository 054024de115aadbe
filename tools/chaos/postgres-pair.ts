import { PrivatePostgres, type StopMode } from '../testkit/private-postgres.ts';
import { waitFor } from '../testkit/wait-for.ts';

const IN_STEP_WITHIN_MS = 60_000;

/** A primary with a synchronous standby, which has every commit of the primary. */
export class PostgresPair {
  private readonly made: PrivatePostgres[] = [];

  private constructor(
    private readonly folder: string,
    private primary: PrivatePostgres,
    private standby: PrivatePostgres | null,
    private readonly onMove: (port: number) => void,
  ) {
    this.made.push(primary);
  }

  /** `onMove` gets the port of a new primary. */
  static async create(folder: string, onMove: (port: number) => void): Promise<PostgresPair> {
    const pair = new PostgresPair(folder, await PrivatePostgres.create(folder), null, onMove);
    await pair.addStandby();
    return pair;
  }

  url(database: string): string {
    return this.primary.url(database);
  }

  query(sql: string, database?: string): Promise<string[]> {
    return this.primary.query(sql, database);
  }

  async restart(mode: StopMode, downMs: number): Promise<void> {
    await this.primary.stop(mode);
    await new Promise((resolve) => setTimeout(resolve, downMs));
    await this.primary.start();
  }

  /** Loses the primary's machine; its standby becomes the primary, and gets a standby of its own. */
  async failOver(downMs: number): Promise<void> {
    const standby = await this.standbyInStep();
    await this.primary.kill9();
    await new Promise((resolve) => setTimeout(resolve, downMs));
    await standby.promote();
    const lost = this.primary;
    this.primary = standby;
    this.standby = null;
    this.onMove(standby.port);
    lost.destroy();
    await this.addStandby();
  }

  /** Works in an exit handler too. */
  destroy(): void {
    for (const server of this.made) server.destroy();
  }

  private async addStandby(): Promise<void> {
    this.standby = await PrivatePostgres.standbyOf(this.primary, this.folder);
    this.made.push(this.standby);
    await this.primary.set('synchronous_standby_names', '*');
    await this.standbyInStep();
  }

  /** A standby for which commits wait, and which has all earlier commits. */
  private async standbyInStep(): Promise<PrivatePostgres> {
    const lagging = `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync' AND flush_lsn >= '%'`;
    const [lsn = ''] = await this.primary.query('SELECT pg_current_wal_lsn()');
    await waitFor(async () => (await this.primary.query(lagging.replace('%', lsn))).length > 0, {
      timeoutMs: IN_STEP_WITHIN_MS,
      everyMs: 100,
      what: 'the standby to be in step',
    });
    if (this.standby === null) throw new Error('there is no standby');
    return this.standby;
  }
}
