import { type LogPosition } from '../../domain/event/log-position.ts';
import { InvalidField } from '../../platform/http/invalid-field.ts';
import type { EventLog } from '../../ports/event-log.ts';
import { A_POSITION } from './events.dto.ts';

/** Finds the position of a reader's `after`. Throws InvalidField. */
export async function positionAfter(log: EventLog, after: string): Promise<LogPosition> {
  const position = await log.find(after);
  if (position === null) throw new InvalidField('after', `must be ${A_POSITION}`);
  return position;
}
