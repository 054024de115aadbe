import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { explainFileError } from '../embedded-postgres/explain-file-error.ts';
import { makeFolder } from '../embedded-postgres/make-folder.ts';

const FILE = 'encryption-key';
const KEY_BYTES = 32;

/** The data folder holds no usable key; the message says why and what to do. */
export class KeyFileFailed extends Error {
  constructor(why: string) {
    super(`There is no encryption key: ${why}. Restore the file from a backup, or set ENCRYPTION_KEY.`);
  }
}

/** Reads the key that encrypts webhook secrets from a file beside the embedded database; creates it at the first start. */
export function keptEncryptionKey(dataDir: string): Buffer {
  const file = join(dataDir, FILE);
  const key = Buffer.from(readOrMake(dataDir, file), 'base64');
  if (key.length !== KEY_BYTES) throw new KeyFileFailed(`${file} does not hold 32 bytes in base64`);
  return key;
}

function readOrMake(dataDir: string, file: string): string {
  try {
    makeFolder(dataDir, 0o700);
    make(file);
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new KeyFileFailed(explainFileError(error as NodeJS.ErrnoException));
  }
}

function make(file: string): void {
  try {
    writeFileSync(file, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
