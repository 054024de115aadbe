import { readFile, rename, writeFile } from 'node:fs/promises';

import type { Session } from '../api/session.ts';
import { EventFollower, type StreamedEvent } from '../api/event-stream.ts';
import { endsByInterruption } from '../output/interruption.ts';
import { note, print } from '../output/print.ts';
import { CommandError } from '../output/exit-status.ts';
import { eventLine, oneLine, readEvent } from './event-line.ts';

export interface TailOptions {
  readonly type?: string[];
  readonly quoteId?: string;
  readonly orderId?: string;
  readonly after?: string;
  readonly resume?: string;
  readonly count?: number;
  readonly json?: true;
}

/** Prints events until the command is interrupted, which is its usual end. */
export async function tailEvents(session: Session, options: TailOptions): Promise<void> {
  const { type = [], quoteId, after, resume, count = Infinity } = options;
  const place = new Place(resume ?? null);
  const filter = { types: type, after: (await place.read()) ?? after ?? null };
  const follower = new EventFollower(session, quoteId === undefined ? filter : { ...filter, quoteId });
  let printed = 0;
  await endsByInterruption(session.signal, async () => {
    for await (const event of follower.events()) {
      if (isWanted(event, options)) {
        await print(lineOf(event, options));
        printed += 1;
      }
      await place.write(event.id);
      if (printed >= count) break;
    }
  });
  const last = place.last ?? follower.position;
  if (last !== null && quoteId === undefined) note(`To go on: paybell events tail --after ${last}`);
}

function isWanted({ body }: StreamedEvent, { orderId }: TailOptions): boolean {
  return orderId === undefined || readEvent(body).data.orderId === orderId;
}

function lineOf({ body }: StreamedEvent, { json }: TailOptions): string {
  return json === true ? `${oneLine(body)}\n` : eventLine(readEvent(body));
}

/** The id of the last printed event, in a file if the command names one. */
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
        throw new CommandError(`${this.file} cannot be read: ${(cause as Error).message}`, undefined, {
          cause,
        });
    }
    return this.last;
  }

  /** A command that is killed leaves either the former id or the new one, never a part. */
  async write(id: string): Promise<void> {
    this.last = id;
    if (this.file === null) return;
    await writeFile(`${this.file}.new`, `${id}\n`);
    await rename(`${this.file}.new`, this.file);
  }
}
