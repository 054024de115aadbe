import { rmSync } from 'node:fs';

import { DataDirInUse, EmbeddedPostgresFailed } from './embedded-failed.ts';
import { connectAs, isOwned, tryLock } from './owner-lock.ts';
import { isPostgresOn, type Postmaster, postmasterPidFile, readPostmaster } from './postmaster-pid.ts';

const EVERY_MS = 100;
/** A PostgreSQL that recovers from a crash accepts no connection until it has replayed its log. */
const SILENT_FOR_MS = 60_000;
/** An owner takes the lock a moment after its server accepts connections: a lock that stays free for longer has no owner. */
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
 * Frees the data folder for a new server: removes the lock file of a dead server, and stops a server that a killed
 * Paybell left running. Throws DataDirInUse when a living Paybell owns the server.
 */
export async function clearLeftoverServer(place: Place): Promise<void> {
  let respondedAt = performance.now();
  let unownedSince: number | null = null;
  for (;;) {
    const left = readPostmaster(place.dir);
    if (left === null) return;
    if (!isPostgresOn(place.dir, left.pid)) return removeLockFile(place.dir, left);
    const owned = await hasOwner(place.urlAt(left.port));
    if (owned === true) throw new DataDirInUse(place.dataDir);
    if (owned === false) {
      respondedAt = performance.now();
      unownedSince ??= respondedAt;
      if (respondedAt - unownedSince >= UNOWNED_FOR_MS) await stopOrphan(place, left);
    }
    if (performance.now() - respondedAt > SILENT_FOR_MS) throw unresponsive(place, left);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}

/** Null when the server accepts no connection: it is starting or stopping. */
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
    if (code === 'EPERM') throw unresponsive(place, orphan);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function isGoneWithin(dir: string, pid: number, waitMs: number): Promise<boolean> {
  const giveUpAt = performance.now() + waitMs;
  while (isPostgresOn(dir, pid)) {
    if (performance.now() >= giveUpAt) return false;
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  return true;
}

/** Removes only the file that was checked: a concurrent start may have written a new one. */
function removeLockFile(dir: string, checked: Postmaster): void {
  if (readPostmaster(dir)?.pid === checked.pid) rmSync(postmasterPidFile(dir), { force: true });
}

function unresponsive({ dir }: Place, { pid }: Postmaster): EmbeddedPostgresFailed {
  return new EmbeddedPostgresFailed(
    `another PostgreSQL (process ${pid}) runs on ${dir} and accepts neither a connection nor a signal`,
    `Stop it (kill -INT ${pid}), or set DATABASE_URL or another DATA_DIR.`,
  );
}
