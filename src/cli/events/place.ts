import { readFile, rename, writeFile } from 'node:fs/promises';

import { CommandError } from '../output/exit-status.ts';

/** The id of the last event that was printed, in a file where one is named. */
export class Place {
  last: string | null = null;

  constructor(private readonly file: string | null) {}

  /** Null without a file, and before the first event. */
  async read(): Promise<string | null> {
    if (this.file === null) return null;
    try {
      const text = (await readFile(this.file, 'utf8')).trim();
      this.last = text === '' ? null : text;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT')
        throw new CommandError(`${this.file} can't be read: ${(cause as Error).message}`, undefined, {
          cause,
        });
    }
    return this.last;
  }

  /** A command that is killed leaves the whole id of before, or this one. */
  async write(id: string): Promise<void> {
    this.last = id;
    if (this.file === null) return;
    await writeFile(`${this.file}.new`, `${id}\n`);
    await rename(`${this.file}.new`, this.file);
  }
}
