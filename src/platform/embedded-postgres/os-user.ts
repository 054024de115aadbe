import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { promisify } from 'node:util';

import { EmbeddedPostgresFailed } from './embedded-failed.ts';

const run = promisify(execFile);

const NAME = 'postgres';
const PASSWD = '/etc/passwd';
/** Most systems have useradd; busybox has adduser. */
const CREATE_COMMANDS = [
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

/**
 * The OS user that runs PostgreSQL; null: the user of this process. PostgreSQL refuses to run as root, so that under root it
 * runs as the owner of the data, or as `postgres`.
 */
export async function databaseUser(clusterDir: string): Promise<OsUser | null> {
  if (process.getuid?.() !== 0) return null;
  const owner = statSync(clusterDir, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const user = (await findUser()) ?? (await createUser());
  if (user !== null) return user;
  throw new EmbeddedPostgresFailed(
    `Paybell runs as root, which PostgreSQL refuses, and the OS user "${NAME}" cannot be created`,
    `Create it (useradd --system ${NAME}), start Paybell as another user, or set DATABASE_URL.`,
  );
}

async function findUser(): Promise<OsUser | null> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', NAME]), run('id', ['-g', NAME])]);
    const user = { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    return user.uid > 0 ? user : null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? userInPasswd() : null;
  }
}

/** A minimal system has no program `id`. */
function userInPasswd(): OsUser | null {
  if (!existsSync(PASSWD)) return null;
  const line = readFileSync(PASSWD, 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${NAME}:`));
  const [, , uid, gid] = (line ?? '').split(':').map(Number);
  return uid === undefined || gid === undefined || !(uid > 0) ? null : { uid, gid };
}

async function createUser(): Promise<OsUser | null> {
  for (const commands of CREATE_COMMANDS) {
    // A command fails if the group exists already, so only the user's existence afterwards counts.
    for (const [command = '', ...args] of commands) await run(command, args).catch(() => undefined);
    const user = await findUser();
    if (user !== null) return user;
  }
  return null;
}
