import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface OsUser {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root: there it runs as the user `postgres`, which its packages make. */
export async function serverUser(): Promise<OsUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const ids = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'postgres'])));
  const [uid = 0, gid = 0] = ids.map(({ stdout }) => Number(stdout));
  return { uid, gid };
}
