import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { isAlive } from './postmaster-pid.ts';

const ABANDONED_AFTER_MS = 600_000;
const PREFIX = 'postgres.new-';

/** Where this process makes a new database, beside its place; the name tells whose it is. */
export function halfDonePath(dataDir: string): string {
  return join(dataDir, `${PREFIX}${process.pid}-${randomBytes(4).toString('hex')}`);
}

/** Removes what starts that were killed in the middle left; leaves alone what a start beside ours is making. */
export function removeAbandoned(dataDir: string): void {
  for (const name of readdirSync(dataDir).filter((entry) => entry.startsWith(PREFIX))) {
    const path = join(dataDir, name);
    const pid = Number.parseInt(name.slice(PREFIX.length), 10);
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const inUse = pid !== process.pid && isAlive(pid) && Date.now() - changedAt < ABANDONED_AFTER_MS;
    if (!inUse) discard(path);
  }
}

/** An initdb whose Paybell was killed may still write there: what stays is for the next start to remove. */
export function discard(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 8, retryDelay: 100 });
  } catch {
    // It holds nothing that anyone needs.
  }
}
