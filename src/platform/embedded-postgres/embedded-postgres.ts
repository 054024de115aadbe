import { resolve } from 'node:path';

import { findBinaries } from './binaries.ts';
import { Cluster } from './cluster.ts';
import { asEmbeddedFailure, DataDirInUse, EmbeddedPostgresFailed } from './embedded-failed.ts';
import { type EmbeddedLog, SupervisedServer } from './supervised-server.ts';
import { OwnerLock } from './owner-lock.ts';
import { ensureServiceDatabase, SERVICE_DATABASE, SERVICE_ROLE } from './service-database.ts';

const SUPERUSER = 'postgres';

/**
 * A PostgreSQL server for this process only, with its data in `DATA_DIR/postgres`. It starts and stops with the service, is
 * restarted when it dies, and keeps its data when either process is killed.
 */
export class EmbeddedPostgres {
  private readonly dataDir: string;
  private readonly log: EmbeddedLog;
  private readonly signalStop = (): void => this.server?.signalStop();
  private starting: Promise<string> | null = null;
  private server: SupervisedServer | null = null;
  private lock: OwnerLock | null = null;
  private password = '';
  private port = 0;
  private isStopped = false;

  constructor(options: { dataDir: string; log: EmbeddedLog }) {
    this.dataDir = resolve(options.dataDir);
    this.log = options.log;
  }

  /** Resolves to the URL of the service's role and database, once the server accepts connections. */
  start(): Promise<string> {
    this.starting ??= this.open();
    return this.starting;
  }

  /** Stops the server with a fast shutdown, within a bounded time. Close the service's connections before. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.close();
    await this.starting?.catch(() => undefined);
    await this.close();
  }

  /** The superuser's URL, for housekeeping and tests. */
  get adminUrl(): string {
    return this.urlOf(SUPERUSER, 'postgres', this.port);
  }

  private async open(): Promise<string> {
    try {
      return await this.openOnce();
    } catch (error) {
      await this.close();
      throw asEmbeddedFailure(error);
    }
  }

  private async openOnce(): Promise<string> {
    const { dataDir, log } = this;
    const binaries = findBinaries();
    const cluster = await Cluster.open(dataDir, binaries);
    const access = cluster.readAccess();
    this.password = access.password;
    const urlAt = (port: number): string => this.urlOf(SUPERUSER, 'postgres', port);
    this.server = new SupervisedServer({ dataDir, cluster, binaries, urlAt, log });
    // Where the kernel cannot stop the server when this process dies, at least an ordinary exit stops it.
    process.once('exit', this.signalStop);
    if (this.isStopped) throw new EmbeddedPostgresFailed('it was stopped before it started');
    this.port = await this.server.start(access.port);
    this.lock = new OwnerLock(this.adminUrl);
    if (!(await this.lock.takeLock())) throw new DataDirInUse(dataDir);
    await ensureServiceDatabase(this.adminUrl, this.password);
    cluster.keepPort(this.port);
    log.log(`Embedded PostgreSQL serves on 127.0.0.1:${this.port}, data in ${cluster.dir}`);
    return this.urlOf(SERVICE_ROLE, SERVICE_DATABASE, this.port);
  }

  private async close(): Promise<void> {
    process.off('exit', this.signalStop);
    await this.lock?.release();
    await this.server?.stop();
  }

  private urlOf(role: string, database: string, port: number): string {
    return `postgres://${role}:${this.password}@127.0.0.1:${port}/${database}`;
  }
}
