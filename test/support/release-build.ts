import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What a build reads, as far as the release has it. */
const PARTS = [
  'src',
  'web/src/api/schema.d.ts',
  'package.json',
  'package-lock.json',
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

/**
 * Builds a release in `folder` from the commit that made it; answers its main.js. It gets this tree's libraries: where the
 * lock file of the release has others, a line says so.
 */
export async function buildRelease(version: string, folder: string): Promise<string> {
  const commit = await commitOf(version);
  const archive = join(folder, 'source.tar');
  const { stdout } = await run('git', ['ls-tree', '--name-only', commit, '--', ...PARTS], { cwd: ROOT });
  const parts = stdout.trim().split('\n');
  await run('git', ['archive', '--output', archive, commit, ...parts], { cwd: ROOT });
  await run('tar', ['-xf', archive, '-C', folder]);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  if (librariesIn(folder) !== librariesIn(ROOT))
    process.stdout.write(`release ${version} runs with libraries that its own lock file does not name\n`);
  const nest = join(ROOT, 'node_modules/@nestjs/cli/bin/nest.js');
  await run(process.execPath, [nest, 'build'], { cwd: folder });
  return join(folder, 'dist/main.js');
}

async function commitOf(version: string): Promise<string> {
  const pattern = `^Release ${version.replaceAll('.', '\\.')}$`;
  const found = await run('git', ['log', '--grep', pattern, '--format=%H', '-1'], { cwd: ROOT }).catch(
    (error: { stderr?: string; message: string }) => ({ stdout: '', stderr: error.stderr ?? error.message }),
  );
  const commit = found.stdout.trim();
  if (commit !== '') return commit;
  throw new Error(
    `The history of this tree has no commit "Release ${version}", from which the test builds the former release. A shallow ` +
      `clone lacks it: git fetch --unshallow. A tarball has no history: clone the repository. ${found.stderr}`,
  );
}

/** The locked libraries, without what is of this repository. */
function librariesIn(folder: string): string {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as LockFile;
  const libraries = Object.entries(packages).filter(([path]) => path.startsWith('node_modules/'));
  return JSON.stringify(libraries.map(([path, { version }]) => [path, version]));
}
