import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PART_BYTES = 64 * 1024;
const FILLER = 'filler';

/** A small file system in memory, which a test can fill. */
export class SmallDisk {
  private constructor(readonly folder: string) {}

  /** Makes the folder. Throws the system's message if this user may not mount. */
  static make(folder: string, megabytes: number): SmallDisk {
    mkdirSync(folder, { recursive: true });
    run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder);
    return new SmallDisk(folder);
  }

  /** Unmounts the file systems that a killed process has left in a folder. */
  static removeIn(folder: string): void {
    if (!existsSync('/proc/self/mounts')) return;
    const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
    const left = mounts.map((line) => line.split(' ')[1] ?? '').filter((path) => dirname(path) === folder);
    for (const path of left) run('umount', '--lazy', path);
  }

  /** Full, or with room again. */
  turn(isFull: boolean): void {
    if (isFull) this.fill();
    else this.empty();
  }

  fill(): void {
    const fd = openSync(join(this.folder, FILLER), 'a');
    try {
      for (;;) writeSync(fd, Buffer.alloc(PART_BYTES));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(fd);
    }
  }

  empty(): void {
    rmSync(join(this.folder, FILLER), { force: true });
  }

  /** Works even while processes have files open there. */
  remove(): void {
    run('umount', '--lazy', this.folder);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function run(command: string, ...args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command}: ${error?.message ?? stderr.trim()}`);
}
