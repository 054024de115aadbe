import { once } from 'node:events';

/** Prints a result on standard output, and waits while its reader does not read. */
export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** Prints what is no result on standard error, so that standard output can be read by a program. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** `paybell … | head` closes the pipe: nothing more is to be done. */
export function endQuietlyWithoutReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}
