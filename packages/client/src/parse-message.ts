import type { PaybellEvent } from './events.ts';
import { parseEvent, UnreadableEvent } from './parse-event.ts';

/** The properties of a RabbitMQ message that are compared with the event; amqplib's `message.properties` fits. */
export interface MessageProperties {
  readonly messageId?: unknown;
  readonly type?: unknown;
}

/**
 * Reads an event from a RabbitMQ message. Throws UnreadableEvent if the body is no event, or another event than the properties
 * name.
 */
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
