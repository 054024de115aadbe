import { once } from 'node:events';

import { ExitStatus } from './exit-status.ts';

/** Prints a result on standard output, and waits while its reader does not read. */
export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** Prints messages that are no result on standard error, so that programs can read standard output. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/**
 * `paybell … | head` closes the pipe: then the command ends silently. Any other failure, as on a full disk, ends it with an
 * error.
 */
export function endWithOutput(): void {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit();
    note(`Standard output cannot be written: ${code ?? message}`);
    process.exit(ExitStatus.failed);
  });
  // A note that cannot be written is dropped.
  process.stderr.on('error', () => undefined);
}
