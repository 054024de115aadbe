import { once } from 'node:events';

import { ExitStatus } from './exit-status.ts';

/** Prints a result on standard output, and waits while its reader does not read. */
export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** Prints what is no result on standard error, so that standard output can be read by a program. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** `paybell … | head` closes the pipe: nothing more is to be done. Any other failure, as on a full disk, ends the command with an error. */
export function endWithOutput(): void {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit();
    note(`Standard output can't be written: ${code ?? message}`);
    process.exit(ExitStatus.failed);
  });
  // Notes are no result.
  process.stderr.on('error', () => undefined);
}
