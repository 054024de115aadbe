import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { isAlive } from './postmaster-pid.ts';

const ABANDONED_AFTER_MS = 600_000;
const PREFIX = 'postgres.new-';

/** The folder, beside the final one, in which this process creates a cluster; its name holds our process id. */
export function stagingPath(dataDir: string): string {
  return join(dataDir, `${PREFIX}${process.pid}-${randomBytes(4).toString('hex')}`);
}

/** Removes the staging folders of killed starts, and keeps the folder of a concurrent start. */
export function removeAbandoned(dataDir: string): void {
  for (const name of readdirSync(dataDir).filter((entry) => entry.startsWith(PREFIX))) {
    const path = join(dataDir, name);
    const pid = Number.parseInt(name.slice(PREFIX.length), 10);
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const inUse = pid !== process.pid && isAlive(pid) && Date.now() - changedAt < ABANDONED_AFTER_MS;
    if (!inUse) discard(path);
  }
}

/** The initdb of a killed Paybell may still write there; the next start removes the files that are left. */
export function discard(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 8, retryDelay: 100 });
  } catch {
    // The folder holds no data in use.
  }
}
