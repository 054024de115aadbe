import type { ConfirmChannel } from 'amqplib';

import { rejectedQueueOf } from '../../ports/track-requests.ts';
import { codeOf, isDeclareConflict, isRefused, reasonOf } from './broker-error.ts';

const QUORUM = { durable: true, arguments: { 'x-queue-type': 'quorum' } };
const EVERY_EVENT = '#';

/** The exchange or queue exists with other arguments; only an operator can resolve this. */
export class DeclareConflict extends Error {}

/** The exchange and the queue for events. */
export interface PublishTopology {
  readonly exchange: string;
  /** A queue that Paybell declares and binds for all events; null: none. */
  readonly eventQueue: string | null;
}

/** Runs `declare` on a channel of its own, which a refusal closes. */
type OnChannel = <T>(declare: (channel: ConfirmChannel) => Promise<T>) => Promise<T>;

/**
 * Declares the exchange and the event queue. Returns the broker's reason for refusing that queue; null: it accepts the queue,
 * or none is set. Throws DeclareConflict for the exchange, and any other error of the broker.
 */
export async function declareForEvents(
  onChannel: OnChannel,
  { exchange, eventQueue }: PublishTopology,
): Promise<string | null> {
  await declareExchange(onChannel, exchange);
  if (eventQueue === null) return null;
  try {
    await onChannel((channel) => declareEventQueue(channel, exchange, eventQueue));
    return null;
  } catch (error) {
    if (error instanceof DeclareConflict) return error.message;
    if (!isRefused(error)) throw error;
    return `the queue "${eventQueue}" cannot be declared and bound (${reasonOf(error)})`;
  }
}

/** A user without the right to declare can still publish to an existing exchange. */
async function declareExchange(onChannel: OnChannel, name: string): Promise<void> {
  try {
    await onChannel((channel) =>
      declared(`exchange "${name}"`, 'RABBITMQ_EXCHANGE', () =>
        channel.assertExchange(name, 'topic', { durable: true }),
      ),
    );
  } catch (error) {
    if (codeOf(error) !== '403') throw error;
    await onChannel((channel) => channel.checkExchange(name)).catch(() => Promise.reject(error));
  }
}

async function declareEventQueue(channel: ConfirmChannel, exchange: string, name: string): Promise<void> {
  await declared(`queue "${name}"`, 'RABBITMQ_EVENT_QUEUE', () => channel.assertQueue(name, QUORUM));
  await channel.bindQueue(name, exchange, EVERY_EVENT);
}

/** Declares the track queue and the queue for its rejected messages. Throws as declareForEvents does for the exchange. */
export async function declareTrackQueues(channel: ConfirmChannel, name: string): Promise<void> {
  for (const queue of [rejectedQueueOf(name), name])
    await declared(`queue "${queue}"`, 'RABBITMQ_TRACK_QUEUE', () => channel.assertQueue(queue, QUORUM));
}

async function declared(what: string, variable: string, declare: () => PromiseLike<unknown>): Promise<void> {
  try {
    await declare();
  } catch (error) {
    if (!isDeclareConflict(error)) throw error;
    throw new DeclareConflict(
      `the ${what} exists with other arguments (${reasonOf(error)}); delete it, or set ${variable} to another name`,
      { cause: error },
    );
  }
}
