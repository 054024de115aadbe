import type { PaybellEvent } from './events.ts';
import { parseEvent, UnreadableEvent } from './parse-event.ts';

/** As much of a RabbitMQ message's properties as is read; amqplib's `message.properties` will do. */
export interface MessageProperties {
  readonly messageId?: unknown;
  readonly type?: unknown;
}

/** Reads a RabbitMQ message of Paybell; throws UnreadableEvent where it is none. */
export function parseMessage(
  content: string | Uint8Array,
  { messageId, type }: MessageProperties = {},
): PaybellEvent {
  const event = parseEvent(content);
  if (isSaid(messageId) && messageId !== event.id)
    throw new UnreadableEvent('The message id is not the id of the event.');
  if (isSaid(type) && type !== event.type)
    throw new UnreadableEvent('The type of the message is not the type of the event.');
  return event;
}

function isSaid(property: unknown): boolean {
  return property !== undefined && property !== null;
}
