import { mkdtempSync, readdirSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const NEEDED_BYTES = 2 * 1024 ** 3;
const NAME = 'paybell-data';
const NAME_AND_PID = /^paybell-data-(\d+)-/;

/**
 * Makes an empty folder for the data of a test's database, in memory where that has room: a copy of a database takes a
 * thirteenth of the processor time there. For each new file, ext4 passes by the inodes that were freed lately. The caller
 * removes the folder.
 */
export function makeDataFolder(): string {
  const parent = hasRoom() ? MEMORY : realpathSync(tmpdir());
  removeLeft(parent);
  return mkdtempSync(join(parent, `${NAME}-${process.pid}-`));
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false;
  }
}

/** Removes the folders of killed processes, which would stay in memory. Only another user can remove that user's folders. */
function removeLeft(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(NAME_AND_PID.exec(name)?.[1]);
    if (!(pid > 0) || isRunning(pid)) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // If a folder cannot be removed, the tests run all the same.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
