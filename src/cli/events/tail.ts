import type { Session } from '../api/session.ts';
import { EventFollower, type StreamedEvent } from '../api/event-stream.ts';
import { endsByInterruption } from '../output/interruption.ts';
import { note, print } from '../output/print.ts';
import { eventLine, oneLine, readEvent } from './event-line.ts';
import { Place } from './place.ts';

export interface TailOptions {
  readonly type?: string[];
  readonly quoteId?: string;
  readonly orderId?: string;
  readonly after?: string;
  readonly resume?: string;
  readonly count?: number;
  readonly json?: true;
}

/** Prints events until it is interrupted, which is its usual end. */
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
