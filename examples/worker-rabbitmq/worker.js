/** A worker that fulfils each order exactly once from RabbitMQ. Start as many of it as you like. */
import { setTimeout as sleep } from 'node:timers/promises';

import { connect } from 'amqplib';
import { Inbox, parseMessage, postgresStore, UnreadableEvent } from 'paybell-client';
import pg from 'pg';

import { createOrderTables, onEvent } from '../orders.js';

const RETRY_AFTER_MS = 1_000;
const { DATABASE_URL, RABBITMQ_URL, RABBITMQ_EXCHANGE = 'payments', QUEUE = 'shop' } = process.env;
const { ORDERS = 'A-1001' } = process.env;

const pool = new pg.Pool({ connectionString: DATABASE_URL });
pool.on('error', (error) => console.error(error.message));
const store = postgresStore(pool, { table: 'shop_inbox' });
const inbox = new Inbox(store);
await store.createTable();
await createOrderTables(pool, ORDERS.split(','));

const connection = await connect(RABBITMQ_URL);
const channel = await connection.createChannel();
await channel.assertExchange(RABBITMQ_EXCHANGE, 'topic', { durable: true });
await channel.assertQueue(QUEUE, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
await channel.bindQueue(QUEUE, RABBITMQ_EXCHANGE, 'payment.*');
await channel.prefetch(20);

const stopping = new AbortController();
const inHand = new Set();

/** Again and again in hand: from RabbitMQ 4 on, a quorum queue drops what was given back to it more than 20 times. */
async function handle(message) {
  while (!stopping.signal.aborted) {
    try {
      const event = parseMessage(message.content, message.properties);
      const outcome = await inbox.process(event, onEvent);
      console.log(`${event.type} #${event.data.sequence} ${event.id}: ${outcome}`);
      return channel.ack(message);
    } catch (error) {
      console.error(error);
      // What nobody can read is not tried again; anything else may go well the next time.
      if (error instanceof UnreadableEvent) return channel.nack(message, false, false);
      await sleep(RETRY_AFTER_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }
}

const { consumerTag } = await channel.consume(QUEUE, (message) => {
  if (message === null) throw new Error('the queue was deleted');
  const handled = handle(message).finally(() => inHand.delete(handled));
  inHand.add(handled);
});
console.log(`the worker consumes ${QUEUE}`);

// What waited too long for an event that never came, such as one before the queue was bound.
const releasing = setInterval(() => {
  inbox.releaseHeld(onEvent).catch((error) => console.error(error));
}, 60_000);

// Whoever keeps this process running starts it again: what it had not acknowledged comes again.
connection.on('error', (error) => console.error(error.message));
connection.on('close', () => process.exit(1));
async function stop() {
  clearInterval(releasing);
  stopping.abort();
  await channel.cancel(consumerTag);
  // What is being handled is acknowledged; the rest goes back to the queue.
  await Promise.all(inHand);
  connection.removeAllListeners('close');
  await connection.close();
  await pool.end();
}
process.once('SIGTERM', () => void stop());
