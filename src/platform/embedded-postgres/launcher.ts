import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Readable } from 'node:stream';

import { EmbeddedPostgresFailed } from './embedded-failed.ts';
import type { OsUser } from './os-user.ts';

export type Program = ChildProcessByStdio<null, Readable, Readable>;

/** The kernel sends PostgreSQL SIGINT (fast shutdown) when the process that started it dies, even by kill -9. */
const DIE_WITH_PARENT = ['--pdeathsig', 'INT'];
/**
 * Capabilities to read below folders that are closed to the user, such as /root. By default Docker grants only the second.
 */
const CAPABILITIES = ['dac_read_search', 'dac_override'];
const PROBE_TIMEOUT_MS = 10_000;

interface LaunchMethod {
  readonly prefix: readonly string[];
  readonly user: OsUser | null;
}

/** Starts programs as the database's OS user, with the first launch method that can access the programs and the data. */
export class Launcher {
  private constructor(private readonly method: LaunchMethod) {}

  /** `dir` belongs to `user` and exists. */
  static choose(user: OsUser | null, program: string, dir: string): Launcher {
    const method = methodsFor(user).find((candidate) => canAccess(candidate, program, dir));
    if (method === undefined) throw new EmbeddedPostgresFailed(explainNoAccess(user, program, dir));
    return new Launcher(method);
  }

  /** Starts the program in its own process group: Ctrl-C in the terminal must reach the service only. */
  start(program: string, args: readonly string[]): Program {
    const [command = program, ...rest] = [...this.method.prefix, program, ...args];
    return spawn(command, rest, {
      ...identityOf(this.method),
      cwd: '/',
      env: environment(),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
}

function methodsFor(user: OsUser | null): LaunchMethod[] {
  const plain = { prefix: [], user };
  if (process.platform !== 'linux') return [plain];
  if (user === null) return [{ prefix: ['setpriv', ...DIE_WITH_PARENT], user: null }, plain];
  const become = [
    'setpriv',
    '--reuid',
    `${user.uid}`,
    '--regid',
    `${user.gid}`,
    '--clear-groups',
    ...DIE_WITH_PARENT,
  ];
  const capable = CAPABILITIES.map((name) =>
    become.concat(
      // PostgreSQL calls access(2) before it runs its own programs; without this bit, access(2) ignores capabilities.
      '--securebits=+no_setuid_fixup',
      `--inh-caps=-all,+${name}`,
      `--ambient-caps=+${name}`,
    ),
  );
  return [{ prefix: become, user: null }, plain, ...capable.map((prefix) => ({ prefix, user: null }))];
}

function canAccess(method: LaunchMethod, program: string, dir: string): boolean {
  const test = ['sh', '-c', 'test -x "$1" && test -r "$2"', 'sh', program, dir];
  const [command = 'sh', ...args] =
    process.platform === 'win32' ? [program, '--version'] : [...method.prefix, ...test];
  const options = { ...identityOf(method), cwd: '/', env: environment(), timeout: PROBE_TIMEOUT_MS };
  return spawnSync(command, args, { ...options, stdio: 'ignore' }).status === 0;
}

function identityOf({ user }: LaunchMethod): { uid?: number; gid?: number } {
  return user === null ? {} : { uid: user.uid, gid: user.gid };
}

/** The environment holds none of our secrets, and no locale that this machine may lack. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot } = process.env;
  return { PATH, LC_ALL: 'C', TZ: 'UTC', ...(SystemRoot === undefined ? {} : { SystemRoot }) };
}

function explainNoAccess(user: OsUser | null, program: string, dir: string): string {
  if (user === null) return `${dir} or ${program} is not open to this user`;
  const closed = closedFolder(user, program) ?? closedFolder(user, dir);
  return (
    `Paybell runs as root, which PostgreSQL refuses, and the OS user with id ${user.uid}, as which it is started, ` +
    `cannot pass ${closed === null ? `to ${program} and ${dir}` : `the folder ${closed}`}; ` +
    `a \`chmod o+x\` of it or the util-linux program setpriv would help`
  );
}

/** The outermost folder on the way to `path` through which `user` may not pass. */
function closedFolder(user: OsUser, path: string): string | null {
  const folder = dirname(resolve(path));
  if (folder !== path && folder !== dirname(folder)) {
    const above = closedFolder(user, folder);
    if (above !== null) return above;
  }
  const { mode, uid, gid } = statSync(folder);
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
  return ((mode >> shift) & 1) === 1 ? null : folder;
}
