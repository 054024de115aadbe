import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const DEBIAN_FOLDER = '/usr/lib/postgresql';
/** What a cluster with a standby needs; the packages of npm bring fewer. */
const PROGRAMS = ['initdb', 'postgres', 'pg_basebackup', 'pg_ctl', 'psql'];

/** The folder of an installed PostgreSQL, the newest first; null where none is complete. */
export function findPostgresBinaries(): string | null {
  const packaged = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : [];
  const folders = [
    ...packaged.sort((a, b) => Number(b) - Number(a)).map((version) => join(DEBIAN_FOLDER, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
    '/opt/homebrew/bin',
  ];
  return folders.find((folder) => PROGRAMS.every((name) => existsSync(join(folder, name)))) ?? null;
}
