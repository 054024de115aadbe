import pg from 'pg';

import { explainFileError, isSystemError } from './explain-file-error.ts';

const REMEDY = 'Set DATABASE_URL to a PostgreSQL of your own, or DATA_DIR to another folder.';

/** The embedded PostgreSQL cannot run here; the message says why and what to do. */
export class EmbeddedPostgresFailed extends Error {
  constructor(why: string, remedy: string = REMEDY) {
    super(`The embedded PostgreSQL cannot run: ${inOneLine(why)}. ${remedy}`);
  }
}

function inOneLine(words: string): string {
  return words
    .trim()
    .replace(/\s*\n\s*/g, '; ')
    .replace(/\.$/, '');
}

/** Wraps an error of the operating system or of PostgreSQL; returns any other error, a bug of ours, unchanged. */
export function asEmbeddedFailure(error: unknown): unknown {
  if (isSystemError(error)) return new EmbeddedPostgresFailed(explainFileError(error));
  if (error instanceof pg.DatabaseError) return new EmbeddedPostgresFailed(`it answers: ${error.message}`);
  return error;
}

/** Another running Paybell holds this data folder. */
export class DataDirInUse extends Error {
  constructor(dataDir: string) {
    super(
      `DATA_DIR ${dataDir} is in use by another running Paybell. ` +
        'Stop that one, give this one another DATA_DIR, or give both one PostgreSQL with DATABASE_URL.',
    );
  }
}
