import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { promisify } from 'node:util';

import { EmbeddedPostgresFailed } from './embedded-failed.ts';

const run = promisify(execFile);

const NAME = 'postgres';
/** useradd on most systems, adduser on busybox. */
const WAYS_TO_CREATE = [
  [
    ['groupadd', '--system', '--force', NAME],
    [
      'useradd',
      '--system',
      '--gid',
      NAME,
      '--no-create-home',
      '--home-dir',
      '/',
      '--shell',
      '/bin/false',
      NAME,
    ],
  ],
  [
    ['addgroup', '-S', NAME],
    ['adduser', '-S', '-D', '-H', '-h', '/', '-s', '/bin/false', '-G', NAME, NAME],
  ],
];

export interface OsUser {
  readonly uid: number;
  readonly gid: number;
}

/** Who PostgreSQL runs as: null for the user we are; for root, which it refuses, the data's owner or `postgres`. */
export async function databaseUser(clusterDir: string): Promise<OsUser | null> {
  if (process.getuid?.() !== 0) return null;
  const owner = statSync(clusterDir, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const user = (await lookUp()) ?? (await create());
  if (user !== null) return user;
  throw new EmbeddedPostgresFailed(
    `Paybell runs as root, which PostgreSQL refuses, and the OS user "${NAME}" cannot be created`,
    `Create it (useradd --system ${NAME}), start Paybell as another user, or set DATABASE_URL.`,
  );
}

async function lookUp(): Promise<OsUser | null> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', NAME]), run('id', ['-g', NAME])]);
    const user = { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    return user.uid > 0 ? user : null;
  } catch {
    return null;
  }
}

async function create(): Promise<OsUser | null> {
  for (const commands of WAYS_TO_CREATE) {
    // A group that exists already is no failure; the look-up decides.
    for (const [command = '', ...args] of commands) await run(command, args).catch(() => undefined);
    const user = await lookUp();
    if (user !== null) return user;
  }
  return null;
}
