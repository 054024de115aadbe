import { type LogPosition } from '../../domain/event/log-position.ts';
import { InvalidField } from '../../platform/http/invalid-field.ts';
import type { EventLog } from '../../ports/event-log.ts';
import { A_PLACE } from './events.dto.ts';

/** The place that a reader's `after` names. Throws InvalidField. */
export async function placeAfter(log: EventLog, after: string): Promise<LogPosition> {
  const place = await log.find(after);
  if (place === null) throw new InvalidField('after', `must be ${A_PLACE}`);
  return place;
}
