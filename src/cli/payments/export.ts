import { createWriteStream, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';

import { queryText } from '../api/api-client.ts';
import type { Session } from '../api/session.ts';
import { CommandError } from '../output/exit-status.ts';
import { note } from '../output/print.ts';
import { withProgress } from '../output/progress.ts';
import { queryOf, type PaymentFilters } from './filters.ts';

export interface ExportOptions extends PaymentFilters {
  readonly limit?: number;
  readonly output?: string;
}

/** Streams the API's CSV, whose cells are safe to open in a spreadsheet. Leaves no incomplete file. */
export async function exportPayments({ api, signal }: Session, options: ExportOptions): Promise<void> {
  const { limit, output } = options;
  const path = `/api/payments${queryText({ ...queryOf(options), limit })}`;
  const { body } = await api.open(path, { accept: 'text/csv' });
  if (body === null) throw new CommandError('The answer has no file.');
  const source = Readable.fromWeb(body as ReadableStream<Uint8Array>);
  try {
    if (output === undefined) await pipeline(source, process.stdout, { end: false, signal });
    else await writeFile(source, output, signal);
  } catch (cause) {
    signal.throwIfAborted();
    const what = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
    throw new CommandError(`The export broke off (${what}): it is not complete.`, undefined, { cause });
  }
}

async function writeFile(source: Readable, output: string, signal: AbortSignal): Promise<void> {
  const unfinished = `${output}.part`;
  let bytes = 0;
  // At once: a second signal kills the command.
  const remove = (): void => rmSync(unfinished, { force: true });
  signal.addEventListener('abort', remove);
  try {
    await withProgress('Bytes', null, (advance) => {
      const counted = new Transform({
        transform(chunk: Buffer, _encoding, done): void {
          bytes += chunk.length;
          advance(chunk.length);
          done(null, chunk);
        },
      });
      return pipeline(source, counted, createWriteStream(unfinished), { signal });
    });
    await rename(unfinished, output);
  } catch (error) {
    // Once more: the file may have been opened since.
    remove();
    throw error;
  } finally {
    signal.removeEventListener('abort', remove);
  }
  note(`${output} has ${bytes} bytes.`);
}
