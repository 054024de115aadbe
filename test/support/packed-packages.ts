import { execFile } from 'node:child_process';
import { mkdtemp, readdir, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BOTH = ['-w', 'packages/client', '--include-workspace-root'];

/** Packs the built `paybell` and `paybell-client` into a new folder; returns the folder. */
export async function packBoth(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'paybell-packed-')));
  // Tests run on a build, and packing without its scripts does not build again.
  const words = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder, ...BOTH];
  await run('npm', words, { cwd: ROOT });
  return folder;
}

/** The file names of the tarballs. */
export async function tarballsIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.tgz')).toSorted();
}
