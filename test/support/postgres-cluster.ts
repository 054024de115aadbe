import { execFile, spawn } from 'node:child_process';
import { appendFileSync, chownSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { databaseUser, type OsUser } from '../../src/platform/embedded-postgres/os-user.ts';
import { freePort } from '../../tools/testkit/free-port.ts';
import { TOOLS } from '../../tools/testkit/machine-tools.js';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { queryAt } from './database.ts';
import { makeDataFolder } from '../../tools/testkit/data-folder.ts';

const run = promisify(execFile);

const SETTINGS = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
shared_buffers = '32MB'
wal_level = replica
archive_mode = on
max_wal_senders = 10
wal_keep_size = '256MB'
`;

/** The folder and the ports that the clusters of one test share. */
export class ClusterRoom {
  readonly folder = makeDataFolder();
  readonly archive = join(this.folder, 'archive');
  private readonly clusters: PostgresCluster[] = [];

  private constructor(
    readonly programs: string,
    readonly user: OsUser | null,
  ) {
    mkdirSync(this.archive);
    this.own(this.folder);
    this.own(this.archive);
  }

  static async open(): Promise<ClusterRoom> {
    const programs = TOOLS.postgresql.find();
    if (programs === null) throw new Error('no complete PostgreSQL is installed: install postgresql');
    return new ClusterRoom(programs, await databaseUser('/'));
  }

  /** Runs one of PostgreSQL's programs. */
  async program(name: string, ...words: readonly string[]): Promise<string> {
    const options = { ...this.user, cwd: this.folder, maxBuffer: 64 * 1024 * 1024 };
    return (await run(join(this.programs, name), [...words], options)).stdout;
  }

  /** Runs a shell command like an operator. */
  async shell(command: string, env: NodeJS.ProcessEnv): Promise<string> {
    const path = `${this.programs}:${process.env['PATH'] ?? ''}`;
    const options = { ...this.user, cwd: this.folder, env: { ...env, PATH: path } };
    return (await run('bash', ['-euc', command], options)).stdout;
  }

  /** A new, empty cluster that runs. */
  async create(port?: number): Promise<PostgresCluster> {
    const cluster = await this.at(`cluster-${this.clusters.length}`, port);
    await this.program('initdb', '-D', cluster.folder, '-U', 'postgres', '-A', 'trust', '--no-sync');
    appendFileSync(
      join(cluster.folder, 'postgresql.conf'),
      `${SETTINGS}archive_command = 'cp %p ${this.archive}/%f'\n`,
    );
    await cluster.start();
    return cluster;
  }

  /** A cluster whose folder other code makes. */
  async at(name: string, port?: number): Promise<PostgresCluster> {
    const cluster = new PostgresCluster(this, join(this.folder, name), port ?? (await freePort()));
    this.clusters.push(cluster);
    return cluster;
  }

  async close(): Promise<void> {
    for (const cluster of this.clusters) await cluster.kill9();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  private own(folder: string): void {
    if (this.user !== null) chownSync(folder, this.user.uid, this.user.gid);
  }
}

/** A PostgreSQL server of a test, to be killed, backed up, restored and promoted. */
export class PostgresCluster {
  constructor(
    private readonly room: ClusterRoom,
    readonly folder: string,
    public port: number,
  ) {}

  urlOf(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  query<Row extends object>(sql: string, database = 'postgres'): Promise<Row[]> {
    return queryAt<Row>(this.urlOf(database), sql);
  }

  /** Settles once it takes connections. */
  async start(): Promise<void> {
    const words = ['-D', this.folder, '-p', String(this.port)];
    const options = { ...this.room.user, cwd: this.room.folder, detached: true, stdio: 'ignore' } as const;
    // Starts PostgreSQL in its own process group, so that all of its processes end together.
    spawn(join(this.room.programs, 'postgres'), words, options).on('error', () => undefined);
    await waitFor(() => this.query('SELECT 1'), { timeoutMs: 60_000, what: 'the private PostgreSQL' });
  }

  /** Ends all processes of the server at once, like a crash of the machine. */
  async kill9(): Promise<void> {
    await this.end('SIGKILL', true);
  }

  async stop(): Promise<void> {
    await this.end('SIGINT', false);
  }

  /** Copies the running server; with `isStandby`, the copy is a standby that follows it. */
  async backUp(isStandby: boolean): Promise<PostgresCluster> {
    const copy = await this.room.at(`copy-of-${this.port}-${Date.now()}`);
    const from = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'postgres'];
    const how = isStandby ? ['-R', '-X', 'stream'] : ['-X', 'stream'];
    await this.room.program('pg_basebackup', ...from, '-D', copy.folder, '-c', 'fast', ...how);
    return copy;
  }

  /** Also ends a process that an operator's command has started. */
  private async end(signal: NodeJS.Signals, isGroup: boolean): Promise<void> {
    const pid = pidIn(this.folder);
    if (pid === null || !isRunning(pid)) return;
    process.kill(isGroup ? -pid : pid, signal);
    await waitFor(() => !isRunning(pid), { what: 'the end of the private PostgreSQL' });
  }
}

function pidIn(folder: string): number | null {
  try {
    return Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
