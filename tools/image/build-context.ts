import { execFile } from 'node:child_process';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** The files that `docker build .` sends: those that .dockerignore leaves, in its form of "everything but". */
export class BuildContext {
  private constructor(
    private readonly root: string,
    private readonly allowed: readonly string[],
  ) {}

  static async open(root: string): Promise<BuildContext> {
    const text = await readFile(join(root, '.dockerignore'), 'utf8');
    const patterns = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    if (patterns[0] !== '*' || patterns.slice(1).some((each) => !/^![\w.-]+(?:\/[\w.-]+)*$/.test(each)))
      throw new Error('.dockerignore is not a `*` with paths that are let in again');
    return new BuildContext(
      root,
      patterns.slice(1).map((each) => each.slice(1)),
    );
  }

  /** The place of a file or folder; throws for one that is not sent. */
  pathOf(source: string): string {
    const isSent = this.allowed.some((each) => source === each || source.startsWith(`${each}/`));
    if (!isSent) throw new Error(`COPY ${source}: .dockerignore keeps it out`);
    return join(this.root, source);
  }
}

/**
 * As COPY does it: a folder's content goes into the target, a file into it or, for a target without a slash, under its name.
 * `isLinked`: files that no later instruction changes become one file with their source, which costs no time.
 */
export async function copyInto(
  sources: readonly string[],
  target: string,
  isFolderTarget: boolean,
  isLinked = false,
): Promise<void> {
  await mkdir(isFolderTarget ? target : dirname(target), { recursive: true });
  for (const source of sources) {
    const isFolder = (await stat(source)).isDirectory();
    if (isFolder) await mkdir(target, { recursive: true });
    const how = ['--recursive', '--no-dereference', '--preserve=mode', ...(isLinked ? ['--link'] : [])];
    await promisify(execFile)('cp', [...how, isFolder ? `${source}/.` : source, target]);
  }
}
