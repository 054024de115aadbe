import type { ConfirmChannel } from 'amqplib';

import { rejectedQueueOf } from '../../ports/track-requests.ts';
import { isOtherwise, reasonOf } from './broker-error.ts';

const QUORUM = { durable: true, arguments: { 'x-queue-type': 'quorum' } };
const EVERY_EVENT = '#';

/** An exchange or queue is there already, with other arguments; only an operator can mend it. */
export class ExistsOtherwise extends Error {}

/** Throws ExistsOtherwise, and what the broker says. */
export async function declareExchange(channel: ConfirmChannel, name: string): Promise<void> {
  await declared(`exchange "${name}"`, 'RABBITMQ_EXCHANGE', () =>
    channel.assertExchange(name, 'topic', { durable: true }),
  );
}

/** A queue that every event gets into. Throws as declareExchange does. */
export async function declareEventQueue(
  channel: ConfirmChannel,
  exchange: string,
  name: string,
): Promise<void> {
  await declared(`queue "${name}"`, 'RABBITMQ_EVENT_QUEUE', () => channel.assertQueue(name, QUORUM));
  await channel.bindQueue(name, exchange, EVERY_EVENT);
}

/** The queue that is consumed, and the one of what was rejected. Throws as declareExchange does. */
export async function declareTrackQueues(channel: ConfirmChannel, name: string): Promise<void> {
  for (const queue of [rejectedQueueOf(name), name])
    await declared(`queue "${queue}"`, 'RABBITMQ_TRACK_QUEUE', () => channel.assertQueue(queue, QUORUM));
}

async function declared(what: string, variable: string, declare: () => PromiseLike<unknown>): Promise<void> {
  try {
    await declare();
  } catch (error) {
    if (!isOtherwise(error)) throw error;
    throw new ExistsOtherwise(
      `the ${what} exists with other arguments (${reasonOf(error)}); delete it, or set ${variable} to another name`,
      { cause: error },
    );
  }
}
