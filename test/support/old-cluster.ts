import { execFile } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import {
  findInstalled,
  type InstalledPrograms,
} from '../../src/platform/embedded-postgres/installed-programs.ts';
import { serverUser } from '../../tools/testkit/server-user.ts';

const run = promisify(execFile);

const DEBIAN_FOLDER = '/usr/lib/postgresql';
const PASSWORD = 'password-of-an-old-cluster';

/** The programs of an installed PostgreSQL that is older than `major`; null where none is complete. */
export async function findOlder(major: number): Promise<InstalledPrograms | null> {
  const found = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : [];
  for (const version of found.filter((each) => Number(each) < major)) {
    const programs = await findInstalled(version, null).catch(() => null);
    if (programs !== null) return programs;
  }
  return null;
}

/** The data folder that a Paybell with this older PostgreSQL has made in DATA_DIR. */
export async function makeOldCluster(dataDir: string, { initdb }: InstalledPrograms): Promise<void> {
  const user = await serverUser();
  const [dir, passwordFile] = [join(dataDir, 'postgres'), join(dataDir, 'password')];
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dataDir, 0o711);
  writeFileSync(passwordFile, PASSWORD);
  const how = ['--username=postgres', '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync'];
  if (user !== undefined) for (const path of [dir, passwordFile]) chownSync(path, user.uid, user.gid);
  await run(initdb, [`--pgdata=${dir}`, `--pwfile=${passwordFile}`, ...how], { ...user, cwd: '/' });
  const access = join(dir, 'paybell.json');
  writeFileSync(access, JSON.stringify({ password: PASSWORD, port: null }), { mode: 0o600 });
  if (user !== undefined) chownSync(access, user.uid, user.gid);
}
