import type { ConfirmChannel } from 'amqplib';

import { rejectedQueueOf } from '../../ports/track-requests.ts';
import { isDeclareConflict, reasonOf } from './broker-error.ts';

const QUORUM = { durable: true, arguments: { 'x-queue-type': 'quorum' } };
const EVERY_EVENT = '#';

/** The exchange or queue exists with other arguments; only an operator can resolve it. */
export class DeclareConflict extends Error {}

/** Throws DeclareConflict, and any other error of the broker. */
export async function declareExchange(channel: ConfirmChannel, name: string): Promise<void> {
  await declared(`exchange "${name}"`, 'RABBITMQ_EXCHANGE', () =>
    channel.assertExchange(name, 'topic', { durable: true }),
  );
}

/** Declares a queue and binds it for all events. Throws as declareExchange does. */
export async function declareEventQueue(
  channel: ConfirmChannel,
  exchange: string,
  name: string,
): Promise<void> {
  await declared(`queue "${name}"`, 'RABBITMQ_EVENT_QUEUE', () => channel.assertQueue(name, QUORUM));
  await channel.bindQueue(name, exchange, EVERY_EVENT);
}

/** Declares the track queue, and the queue for its rejected messages. Throws as declareExchange does. */
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
