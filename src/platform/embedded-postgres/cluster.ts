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
import { fileTrouble } from './file-trouble.ts';
import { discard, halfDonePath, removeAbandoned } from './half-done.ts';
import { Launcher } from './launcher.ts';
import { makeFolder } from './make-folder.ts';
import { databaseUser, type OsUser } from './os-user.ts';
import { runToEnd } from './run-to-end.ts';

const INIT_TIMEOUT_MS = 180_000;
const ACCESS_FILE = 'paybell.json';

interface Access {
  readonly password: string;
  readonly port: number | null;
}

/** The data of the embedded database: `DATA_DIR/postgres`, with its password inside, made at the first start. */
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
    if (existsSync(join(dir, 'PG_VERSION'))) checkVersion(dir, binaries);
    else await create(dir, binaries, user);
    return new Cluster(dir, Launcher.choose(user, binaries.postgres, dir), user);
  }

  /** The password of the database's roles, and the port that was used last. */
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

/** PostgreSQL itself refuses the data of another version, and does not say what to do. */
function checkVersion(dir: string, { major }: Binaries): void {
  const found = readFileSync(join(dir, 'PG_VERSION'), 'utf8').trim();
  if (major === null || found === major) return;
  throw new EmbeddedPostgresFailed(
    `the data in ${dir} is of PostgreSQL ${found.slice(0, 10)}, and this Paybell brings PostgreSQL ${major}`,
    'Dump it with the Paybell that made it (pg_dump) and restore it into a PostgreSQL of your own (DATABASE_URL), ' +
      'or set DATA_DIR to another folder.',
  );
}

/** Made beside its place and renamed at the end: a start that is killed in the middle leaves nothing that looks done. */
async function create(dir: string, binaries: Binaries, user: OsUser | null): Promise<void> {
  const halfDone = halfDonePath(dirname(dir));
  const passwordFile = `${halfDone}.password`;
  const password = randomBytes(24).toString('base64url');
  try {
    mkdirSync(halfDone, { mode: 0o700 });
    writeFileSync(passwordFile, password, { mode: 0o600 });
    for (const path of [halfDone, passwordFile]) own(path, user);
    const launcher = Launcher.choose(user, binaries.initdb, halfDone);
    await initialise(launcher, binaries, halfDone, passwordFile);
    writeAccess(halfDone, { password, port: null }, user);
    putInPlace(halfDone, dir);
  } finally {
    for (const path of [halfDone, passwordFile]) discard(path);
    // Once more: the initdb of a start that was killed may have written on while its folder was being removed.
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
    // Sorts the same whatever C library the machine has: indexes survive a system upgrade.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ]);
  const { code, output } = await runToEnd(program, INIT_TIMEOUT_MS);
  if (code !== 0) throw new EmbeddedPostgresFailed(`initdb ended with ${code}: ${output.trim()}`);
}

function putInPlace(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    // Another start was faster: its data is as good as ours.
    if (existsSync(join(to, 'PG_VERSION'))) return;
    throw new EmbeddedPostgresFailed(
      `${to} is neither empty nor a finished database (${(error as NodeJS.ErrnoException).code})`,
    );
  }
}

/** Passable for the database's user when we are root; each secret in it is a file that only its owner reads. */
function makeDataDir(dataDir: string): void {
  try {
    if (makeFolder(dataDir, 0o700) && process.getuid?.() === 0) chmodSync(dataDir, 0o711);
  } catch (error) {
    const why = fileTrouble(error as NodeJS.ErrnoException);
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
