import { type LogPosition } from '../../domain/event/log-position.ts';
import type { EventLog } from '../../ports/event-log.ts';
import { InvalidCursor } from '../../ports/payments.ts';

const A_POSITION = 'a nextCursor of this log, or the id of an event that is still in the log';

/** Finds the position of a reader's `after`. Throws InvalidCursor. */
export async function positionAfter(log: EventLog, after: string): Promise<LogPosition> {
  const position = await log.find(after);
  if (position === null) throw new InvalidCursor('after', `must be ${A_POSITION}`);
  return position;
}
