import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../../tools/testkit/free-port.ts';
import { TOOLS } from '../../tools/testkit/machine-tools.js';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { queryAt } from './database.ts';

const NOBODY = 65_534;
export type PoolMode = 'session' | 'transaction';

/** A PgBouncer on a private port, in front of every database of a server, with only its mode set. */
export class PgBouncer {
  private output = '';
  private child: ChildProcess | null = null;

  private constructor(
    private readonly program: string,
    private readonly folder: string,
    private readonly port: number,
    private readonly serverUrl: string,
  ) {}

  /** `serverUrl` names the server and the user to log in as; `more` are further settings, such as `client_idle_timeout`. */
  static async start(
    serverUrl: string,
    mode: PoolMode,
    connections: number,
    more: Readonly<Record<string, number>> = {},
  ): Promise<PgBouncer> {
    const program = TOOLS.pgbouncer.find();
    if (program === null) throw new Error('pgbouncer is not installed: apt-get install pgbouncer');
    const folder = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-pgbouncer-'));
    const port = await freePort();
    const settings = { listen_port: port, pool_mode: mode, default_pool_size: connections, ...more };
    writeFileSync(join(folder, 'pgbouncer.ini'), configOf(new URL(serverUrl), settings));
    chmodSync(folder, 0o755);
    if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY);
    const bouncer = new PgBouncer(program, folder, port, serverUrl);
    await bouncer.serve();
    return bouncer;
  }

  /** Starts the PgBouncer; also after `kill`. */
  async serve(): Promise<void> {
    const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    const ini = join(this.folder, 'pgbouncer.ini');
    this.child = spawn(this.program, [ini], { ...identity, stdio: ['ignore', 'ignore', 'pipe'] });
    this.child.stderr?.on('data', (text) => (this.output = `${this.output}${text}`.slice(-4_000)));
    await waitFor(() => queryAt(this.urlOf(this.serverUrl), 'SELECT 1').then(() => true), {
      what: `PgBouncer to serve; it printed:\n${this.output}`,
    });
  }

  /** The URL of the same database through the pooler. */
  urlOf(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${this.port}`;
    return url.href;
  }

  /** Ends the PgBouncer like a crash, with every connection. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function configOf(server: URL, settings: Readonly<Record<string, string | number>>): string {
  const login = `user=${decodeURIComponent(server.username)} password='${decodeURIComponent(server.password)}'`;
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  return `[databases]
* = host=${server.hostname} port=${server.port === '' ? 5432 : server.port} ${login}

[pgbouncer]
listen_addr = 127.0.0.1
unix_socket_dir =
auth_type = any
max_client_conn = 1000
server_idle_timeout = 5
${lines.join('\n')}
`;
}
