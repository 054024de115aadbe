import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const NEEDED_BYTES = 6 * 1024 ** 3;

/** A new folder for the stages: in memory where there is plenty, since a build writes 100,000 small files. */
export async function roomyFolder(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return mkdtemp(join(bavail * bsize > NEEDED_BYTES ? MEMORY : tmpdir(), 'paybell-image-'));
}
