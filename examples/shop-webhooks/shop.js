/** A shop's backend that fulfils each order exactly once from webhooks. */
import express from 'express';
import { Inbox, InvalidWebhook, postgresStore, verifyWebhook } from 'paybell-client';
import pg from 'pg';

import { createOrderTables, onEvent } from '../orders.js';

const { DATABASE_URL, WEBHOOK_SECRET, ORDERS = 'A-1001', PORT = '4000' } = process.env;

const pool = new pg.Pool({ connectionString: DATABASE_URL });
pool.on('error', (error) => console.error(error.message));
const store = postgresStore(pool, { table: 'shop_inbox' });
const inbox = new Inbox(store);
await store.createTable();
await createOrderTables(pool, ORDERS.split(','));

const app = express();
const rawBody = express.raw({ type: 'application/json', limit: '1mb' });
// Before any app.use(express.json()): that one would take the raw body away.
app.post('/webhooks/paybell', rawBody, async (request, response) => {
  try {
    const event = verifyWebhook(request.body, request.headers, WEBHOOK_SECRET);
    const outcome = await inbox.process(event, onEvent);
    console.log(`${event.type} #${event.data.sequence ?? '-'} ${event.id}: ${outcome}`);
    response.sendStatus(204);
  } catch (error) {
    console.error(error);
    // Either way it comes again; a 401 tells the operator to check the secret.
    response.sendStatus(error instanceof InvalidWebhook ? 401 : 500);
  }
});

// What waited too long for an event that never came, such as one before the endpoint was added.
const releasing = setInterval(() => {
  inbox.releaseHeld(onEvent).catch((error) => console.error(error));
}, 60_000);

const server = app.listen(Number(PORT), '127.0.0.1', (error) => {
  if (error) throw error;
  console.log(`the shop listens on http://127.0.0.1:${PORT}/webhooks/paybell`);
});
process.once('SIGTERM', () => {
  clearInterval(releasing);
  server.close(() => void pool.end());
});
