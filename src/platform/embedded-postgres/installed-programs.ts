import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { EmbeddedPostgresFailed } from './embedded-failed.ts';
import type { Binaries } from './binaries.ts';

const run = promisify(execFile);

const NEEDED = ['postgres', 'pg_dump', 'psql'] as const;

/** A PostgreSQL that is installed on this machine, with the clients that carry data over. */
export interface InstalledPrograms extends Binaries {
  readonly pgDump: string;
  readonly psql: string;
}

/**
 * The programs of PostgreSQL `major`: those in `folder`, or in the usual places where that is null. Throws
 * EmbeddedPostgresFailed where they are not there, with what an operator has to do.
 */
export async function findInstalled(major: string, folder: string | null): Promise<InstalledPrograms> {
  const places = folder === null ? usualPlaces(major) : [folder];
  for (const place of places) if ((await majorOf(place)) === major) return programsIn(place, major);
  throw new EmbeddedPostgresFailed(
    `its data is of PostgreSQL ${major}, whose programs ${NEEDED.join(', ')} are not in ${places.join(', ')}`,
    howToGet(major),
  );
}

function usualPlaces(major: string): string[] {
  return [
    `/usr/lib/postgresql/${major}/bin`,
    `/usr/pgsql-${major}/bin`,
    `/opt/homebrew/opt/postgresql@${major}/bin`,
    `/usr/local/opt/postgresql@${major}/bin`,
    ...(process.env['PATH'] ?? '').split(delimiter).filter((path) => existsSync(join(path, 'pg_dump'))),
  ];
}

/** Null where a program is missing. */
async function majorOf(folder: string): Promise<string | null> {
  const names = NEEDED.map((name) => pathOf(folder, name));
  if (!names.every((path) => existsSync(path))) return null;
  const { stdout } = await run(pathOf(folder, 'postgres'), ['--version']).catch(() => ({ stdout: '' }));
  return /(\d+)/.exec(stdout)?.[1] ?? null;
}

function programsIn(folder: string, major: string): InstalledPrograms {
  const [initdb, postgres, pgDump, psql] = ['initdb', ...NEEDED].map((name) => pathOf(folder, name));
  return { initdb, postgres, pgDump, psql, major } as InstalledPrograms;
}

function pathOf(folder: string, name: string): string {
  return join(folder, process.platform === 'win32' ? `${name}.exe` : name);
}

function howToGet(major: string): string {
  return `Nothing was changed. To upgrade the data:

  1. Install PostgreSQL ${major} beside Paybell: apt-get install postgresql-${major} on Debian and Ubuntu, from apt.postgresql.org where
     the system has another version; brew install postgresql@${major} on macOS. Its own service need not run.
  2. Run paybell upgrade-data again, with --from-bin DIR where its programs are in another folder.

Without PostgreSQL ${major} on this machine:

  1. Start the Paybell that made the data. The file postgres/paybell.json in DATA_DIR has the port and the password of its database.
  2. pg_dump of any PostgreSQL from ${major} on: pg_dump -Fc -f paybell.dump postgres://paybell:PASSWORD@127.0.0.1:PORT/paybell
  3. Stop it, and restore the dump into a PostgreSQL of your own: pg_restore --no-owner -d DATABASE_URL paybell.dump
  4. Start this Paybell with that DATABASE_URL, and with the ENCRYPTION_KEY that the file encryption-key in DATA_DIR holds.`;
}
