import { rmSync } from 'node:fs';

import { DataDirInUse, EmbeddedPostgresFailed } from './embedded-failed.ts';
import { connectAs, isOwned, tryLock } from './owner-lock.ts';
import { isPostgresOn, type Postmaster, postmasterPidFile, readPostmaster } from './postmaster-pid.ts';

const EVERY_MS = 100;
/** A PostgreSQL that replays its log after a crash answers nobody until it is done. */
const SILENT_FOR_MS = 60_000;
/** Its owner takes the lock a moment after the server answers: so long must it be free. */
const UNOWNED_FOR_MS = 2_000;
const SHUTDOWN_STEPS = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const;

interface Place {
  readonly dataDir: string;
  readonly dir: string;
  readonly urlAt: (port: number) => string;
  readonly warn: (message: string) => void;
}

/**
 * Makes the data folder free for a server of our own: a lock file of a dead one is removed, one that its killed
 * Paybell left running is stopped, and one that a living Paybell owns is left alone: DataDirInUse.
 */
export async function clearLeftover(place: Place): Promise<void> {
  let answeredAt = Date.now();
  let unownedSince: number | null = null;
  for (;;) {
    const left = readPostmaster(place.dir);
    if (left === null) return;
    if (!isPostgresOn(place.dir, left.pid)) return removeLockFile(place.dir, left);
    const owned = await hasOwner(place.urlAt(left.port));
    if (owned === true) throw new DataDirInUse(place.dataDir);
    if (owned === false) {
      answeredAt = Date.now();
      unownedSince ??= answeredAt;
      if (answeredAt - unownedSince >= UNOWNED_FOR_MS) await stopOrphan(place, left);
    }
    if (Date.now() - answeredAt > SILENT_FOR_MS) throw silent(place, left);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}

/** Null when it does not answer: it starts, or stops. */
async function hasOwner(url: string): Promise<boolean | null> {
  try {
    const client = await connectAs(url);
    try {
      return await isOwned(client);
    } finally {
      await client.end();
    }
  } catch {
    return null;
  }
}

async function stopOrphan(place: Place, orphan: Postmaster): Promise<void> {
  const client = await connectAs(place.urlAt(orphan.port)).catch(() => null);
  if (client === null) return;
  try {
    if (!(await tryLock(client))) return;
    place.warn(`Stopping the PostgreSQL (process ${orphan.pid}) that a killed Paybell left in ${place.dir}`);
    for (const { signal, waitMs } of SHUTDOWN_STEPS) {
      process.kill(orphan.pid, signal);
      if (await isGoneWithin(place.dir, orphan.pid, waitMs)) return;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EPERM') throw silent(place, orphan);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function isGoneWithin(dir: string, pid: number, waitMs: number): Promise<boolean> {
  const giveUpAt = Date.now() + waitMs;
  while (isPostgresOn(dir, pid)) {
    if (Date.now() >= giveUpAt) return false;
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  return true;
}

/** Only the file that was judged: a start beside ours may have written a new one. */
function removeLockFile(dir: string, judged: Postmaster): void {
  if (readPostmaster(dir)?.pid === judged.pid) rmSync(postmasterPidFile(dir), { force: true });
}

function silent({ dir }: Place, { pid }: Postmaster): EmbeddedPostgresFailed {
  return new EmbeddedPostgresFailed(
    `another PostgreSQL (process ${pid}) runs on ${dir} and can be neither asked nor stopped`,
    `Stop it (kill -INT ${pid}), or set DATABASE_URL or another DATA_DIR.`,
  );
}
