import { type ChildProcess, spawn } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { freePort } from '../../tools/testkit/free-port.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { queryAt } from './database.ts';

const NOBODY = 65_534;
const PLACES = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
export type PoolMode = 'session' | 'transaction';

/** Where the program is; null: not installed. */
export function findPgBouncer(): string | null {
  const isThere = (path: string): boolean => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return PLACES.map((place) => join(place, 'pgbouncer')).find(isThere) ?? null;
}

/** A PgBouncer of its own on a private port, in front of every database of a server, with nothing set but its mode. */
export class PgBouncer {
  private output = '';

  private constructor(
    private readonly folder: string,
    private readonly child: ChildProcess,
    private readonly port: number,
  ) {
    child.stderr?.on('data', (text) => (this.output = `${this.output}${text}`.slice(-4_000)));
  }

  /** `serverUrl` names the server and the user to log in as. */
  static async start(serverUrl: string, mode: PoolMode, connections: number): Promise<PgBouncer> {
    const program = findPgBouncer();
    if (program === null) throw new Error('pgbouncer is not installed: apt-get install pgbouncer');
    const folder = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-pgbouncer-'));
    const port = await freePort();
    const isRoot = process.getuid?.() === 0;
    const ini = join(folder, 'pgbouncer.ini');
    writeFileSync(ini, configOf(new URL(serverUrl), mode, port, connections));
    chmodSync(folder, 0o755);
    if (isRoot) chownSync(folder, NOBODY, NOBODY);
    const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    const child = spawn(program, [ini], { ...identity, stdio: ['ignore', 'ignore', 'pipe'] });
    const bouncer = new PgBouncer(folder, child, port);
    await waitFor(() => queryAt(bouncer.urlOf(serverUrl), 'SELECT 1').then(() => true), {
      what: `PgBouncer to serve; it printed:\n${bouncer.output}`,
    });
    return bouncer;
  }

  /** The same database through the pooler. */
  urlOf(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${this.port}`;
    return url.href;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = new Promise((resolve) => this.child.once('exit', resolve));
      this.child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function configOf(server: URL, mode: PoolMode, port: number, connections: number): string {
  const login = `user=${decodeURIComponent(server.username)} password='${decodeURIComponent(server.password)}'`;
  return `[databases]
* = host=${server.hostname} port=${server.port === '' ? 5432 : server.port} ${login}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${connections}
max_client_conn = 1000
server_idle_timeout = 5
`;
}
