import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

import type { Binaries } from './binaries.ts';
import { EmbeddedPostgresFailed } from './embedded-failed.ts';
import { explainFileError } from './explain-file-error.ts';
import { discard, stagingPath, removeAbandoned } from './staging-folder.ts';
import { Launcher, type Program } from './launcher.ts';
import { makeFolder } from './make-folder.ts';
import { databaseUser, type OsUser } from './os-user.ts';

const INIT_TIMEOUT_MS = 180_000;
const ACCESS_FILE = 'paybell.json';
const KEPT_OUTPUT = 4_000;
/** initdb's message about a user id without an entry in /etc/passwd, as a container may have. */
const UNKNOWN_USER = /could not look up effective user ID (\d+)/;

interface Access {
  readonly password: string;
  readonly port: number | null;
}

/** The data folder of the embedded database: `DATA_DIR/postgres`, created with its password at the first start. */
export class Cluster {
  private constructor(
    readonly dir: string,
    readonly launcher: Launcher,
    private readonly user: OsUser | null,
  ) {}

  static async open(dataDir: string, binaries: Binaries): Promise<Cluster> {
    const dir = join(dataDir, 'postgres');
    makeDataDir(dataDir);
    const user = await databaseUser(dir);
    removeAbandoned(dataDir);
    const found = majorIn(dir);
    if (found !== null) checkVersion(dir, found, binaries);
    else await create(dir, binaries, user);
    return new Cluster(dir, Launcher.choose(user, binaries.postgres, dir), user);
  }

  /** Reads the password of the database's roles, and the port of the last start. */
  readAccess(): Access {
    const path = join(this.dir, ACCESS_FILE);
    try {
      return JSON.parse(readFileSync(path, 'utf8')) as Access;
    } catch (error) {
      throw new EmbeddedPostgresFailed(
        `the file ${path} with the database's password cannot be read (${(error as Error).message})`,
        'Restore it from a backup, or set DATABASE_URL.',
      );
    }
  }

  keepPort(port: number): void {
    const access = this.readAccess();
    if (access.port !== port) writeAccess(this.dir, { ...access, port }, this.user);
  }
}

/** Reads PostgreSQL's major version of the data in a folder; null where it holds none. */
function majorIn(dir: string): string | null {
  const file = join(dir, 'PG_VERSION');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().slice(0, 10) : null;
}

/** PostgreSQL also refuses the data of another version, but its message names no remedy. */
function checkVersion(dir: string, found: string, { major }: Binaries): void {
  if (major === null || found === major) return;
  throw new EmbeddedPostgresFailed(
    `the data in ${dir} is of PostgreSQL ${found}, and this Paybell brings PostgreSQL ${major}`,
    'Start the Paybell release that made it, or move the data by a dump: see "Embedded data of another PostgreSQL" in docs/running/upgrades.md.',
  );
}

/** Creates the cluster in a staging folder and renames it at the end: a killed start leaves no half-made cluster in place. */
async function create(dir: string, binaries: Binaries, user: OsUser | null): Promise<void> {
  const staging = stagingPath(dirname(dir));
  const passwordFile = `${staging}.password`;
  const password = randomBytes(24).toString('base64url');
  try {
    mkdirSync(staging, { mode: 0o700 });
    writeFileSync(passwordFile, password, { mode: 0o600 });
    for (const path of [staging, passwordFile]) own(path, user);
    const launcher = Launcher.choose(user, binaries.initdb, staging);
    await initialise(launcher, binaries, staging, passwordFile);
    writeAccess(staging, { password, port: null }, user);
    putInPlace(staging, dir);
  } finally {
    for (const path of [staging, passwordFile]) discard(path);
    // Removed a second time: the initdb of a killed start may have written files while `open` was removing its folder.
    removeAbandoned(dirname(dir));
  }
}

async function initialise(
  launcher: Launcher,
  { initdb }: Binaries,
  dir: string,
  pwfile: string,
): Promise<void> {
  const program = launcher.start(initdb, [
    `--pgdata=${dir}`,
    `--pwfile=${pwfile}`,
    '--username=postgres',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    // Makes text sort the same with every C library, so that indexes survive an upgrade of the system.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ]);
  const { code, output } = await runToEnd(program, INIT_TIMEOUT_MS);
  if (code === 0) return;
  const [, uid] = UNKNOWN_USER.exec(output) ?? [];
  if (uid === undefined) throw new EmbeddedPostgresFailed(`initdb ended with ${code}: ${output.trim()}`);
  throw new EmbeddedPostgresFailed(
    `the user id ${uid} has no entry in /etc/passwd, which PostgreSQL asks for when it makes a database`,
    'Set DATABASE_URL to a PostgreSQL of your own, which any user id can use, or start Paybell as a user with an entry.',
  );
}

function putInPlace(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    // Another start has created a cluster meanwhile, which is used.
    if (existsSync(join(to, 'PG_VERSION'))) return;
    throw new EmbeddedPostgresFailed(
      `${to} is neither empty nor a finished database (${(error as NodeJS.ErrnoException).code})`,
    );
  }
}

/** Root lets the database's OS user pass through the folder; each secret in it is a file that only its owner can read. */
function makeDataDir(dataDir: string): void {
  try {
    if (makeFolder(dataDir, 0o700) && process.getuid?.() === 0) chmodSync(dataDir, 0o711);
  } catch (error) {
    const why = explainFileError(error as NodeJS.ErrnoException);
    throw new EmbeddedPostgresFailed(`DATA_DIR ${dataDir} cannot be made: ${why}`);
  }
}

function writeAccess(dir: string, access: Access, user: OsUser | null): void {
  const path = join(dir, ACCESS_FILE);
  writeFileSync(`${path}.new`, JSON.stringify(access), { mode: 0o600 });
  own(`${path}.new`, user);
  renameSync(`${path}.new`, path);
}

function own(path: string, user: OsUser | null): void {
  if (user !== null) chownSync(path, user.uid, user.gid);
}

/** Waits for a short-lived program. Returns its exit code, null when it was killed or could not start, and its last output. */
function runToEnd(program: Program, timeoutMs: number): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    let output = '';
    const keep = (text: unknown): void => {
      output = `${output}${String(text)}`.slice(-KEPT_OUTPUT);
    };
    const timer = setTimeout(() => {
      keep(`\nstopped after ${timeoutMs} ms`);
      program.kill('SIGKILL');
    }, timeoutMs);
    const stopWithUs = (): void => void program.kill('SIGKILL');
    process.once('exit', stopWithUs);
    for (const stream of [program.stdout, program.stderr]) stream.on('data', keep);
    program.once('error', (error) => keep(error.message));
    program.once('close', (code) => {
      clearTimeout(timer);
      process.off('exit', stopWithUs);
      resolve({ code, output });
    });
  });
}
