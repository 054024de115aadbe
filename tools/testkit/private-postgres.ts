import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { dieWithParent } from './die-with-parent.ts';
import { serverUser, type OsUser } from './server-user.ts';
import { freePort } from './free-port.ts';
import { TOOLS } from './machine-tools.js';
import { waitFor } from './wait-for.ts';

const run = promisify(execFile);

const USER = 'paybell';
const TIMEOUT_MS = 60_000;
const KEPT_OUTPUT = 4_000;
/** No data must survive a loss of power: the kernel has the writes of a killed server. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  max_connections: '100',
  shared_buffers: '32MB',
  wal_keep_size: '256MB',
  wal_retrieve_retry_interval: '200ms',
  wal_receiver_timeout: '5s',
  max_wal_senders: '5',
};

/** `immediate` leaves a recovery to the next start. */
export type StopMode = 'fast' | 'immediate';

/** A PostgreSQL server in its own folder, which a test may stop, kill and promote. */
export class PrivatePostgres {
  private server: ChildProcess | null = null;
  private output = '';

  private constructor(
    private readonly binaries: string,
    private readonly user: OsUser | undefined,
    private readonly folder: string,
    readonly port: number,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  /** A new, empty cluster in a folder below `parent`, started with these settings in addition to the kit's own. */
  static async create(
    parent: string,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<PrivatePostgres> {
    const cluster = await PrivatePostgres.at(parent, settings);
    const how = ['-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    await cluster.run('initdb', ['-D', cluster.folder, ...how]);
    await cluster.start();
    return cluster;
  }

  /** A hot standby of `primary` in a folder beside it, started and following it. */
  static async standbyOf(primary: PrivatePostgres, parent: string): Promise<PrivatePostgres> {
    const standby = await PrivatePostgres.at(parent);
    const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', USER];
    const how = ['-R', '-X', 'stream', '-c', 'fast', '--no-sync'];
    await standby.run('pg_basebackup', [...from, '-D', standby.folder, ...how]);
    // A promoted standby would otherwise wait for a standby that it does not have.
    appendFileSync(join(standby.folder, 'postgresql.auto.conf'), "\nsynchronous_standby_names = ''\n");
    await standby.start();
    return standby;
  }

  private static async at(
    parent: string,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<PrivatePostgres> {
    const binaries = TOOLS.postgresql.find();
    if (binaries === null)
      throw new Error('no complete PostgreSQL is installed: initdb, pg_basebackup and others');
    const user = await serverUser();
    chmodSync(parent, 0o755);
    const folder = mkdtempSync(join(parent, 'postgres-'));
    if (user !== undefined) chownSync(folder, user.uid, user.gid);
    return new PrivatePostgres(binaries, user, folder, await freePort(), settings);
  }

  url(database: string): string {
    return `postgres://${USER}@127.0.0.1:${this.port}/${database}`;
  }

  /** The process id of the postmaster; 0 while it is not running. */
  get pid(): number {
    return this.server?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.server !== null && this.server.exitCode === null && this.server.signalCode === null;
  }

  /** Starts the server; resolves when it answers. */
  async start(): Promise<void> {
    const settings = Object.entries({ ...SETTINGS, ...this.settings, port: String(this.port) });
    const args = ['-D', this.folder, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    const [command = '', ...rest] = [
      ...dieWithParent('QUIT', this.user),
      join(this.binaries, 'postgres'),
      ...args,
    ];
    const server = spawn(command, rest, { cwd: '/', detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    server.on('error', (error) => (this.output += error.message));
    for (const stream of [server.stdout, server.stderr])
      stream?.on('data', (text) => (this.output = `${this.output}${String(text)}`.slice(-KEPT_OUTPUT)));
    this.server = server;
    await waitFor(async () => !this.isRunning || (await this.answers()), {
      timeoutMs: TIMEOUT_MS,
      everyMs: 50,
      what: 'the private PostgreSQL to answer',
    });
    if (!this.isRunning) throw new Error(`the private PostgreSQL ended at its start:\n${this.output}`);
  }

  async stop(mode: StopMode): Promise<void> {
    await this.end(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  }

  /** Kills all processes of the server, like the loss of the machine. */
  async kill9(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Changes a setting of the running server. */
  async set(name: string, value: string): Promise<void> {
    await this.query(`ALTER SYSTEM SET ${name} = '${value}'`);
    await this.query('SELECT pg_reload_conf()');
  }

  /** A standby becomes the primary. */
  async promote(): Promise<void> {
    await this.query('SELECT pg_promote(true, 60)');
  }

  /** Rows as psql prints them. */
  async query(sql: string, database = 'postgres'): Promise<string[]> {
    const args = ['-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', this.url(database), '-c', sql];
    const { stdout } = await run(join(this.binaries, 'psql'), args, { timeout: TIMEOUT_MS });
    return stdout.split('\n').filter((line) => line !== '');
  }

  /** Kills the server and removes its data; works in an exit handler too. */
  destroy(): void {
    this.signal('SIGKILL');
    this.server = null;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  private async answers(): Promise<boolean> {
    return (await this.query('SELECT 1')).length === 1;
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { server } = this;
    if (server === null || !this.isRunning) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    // The postmaster ends its processes by itself, unless it is killed.
    if (signal === 'SIGKILL') this.signal(signal);
    else server.kill(signal);
    await ended;
    this.server = null;
  }

  /** Signals the postmaster and its processes, which have sessions of their own. */
  private signal(signal: NodeJS.Signals): void {
    const { pid } = this.server ?? {};
    if (pid === undefined) return;
    for (const each of [pid, ...childrenOf(pid)]) {
      try {
        process.kill(each, signal);
      } catch {
        // The process has ended.
      }
    }
  }

  private async run(program: string, args: readonly string[]): Promise<void> {
    const [command = '', ...rest] = [
      ...dieWithParent('KILL', this.user),
      join(this.binaries, program),
      ...args,
    ];
    await run(command, rest, { cwd: '/' });
  }
}

/** Empty if the system does not tell: these processes end by themselves after the postmaster. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
