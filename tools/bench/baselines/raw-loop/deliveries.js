/**
 * Sends committed events from memory, each as a webhook and as a confirmed message, and takes over those of a dead process.
 */
import { createHmac } from 'node:crypto';

import { Pool } from 'undici';

import { SENT, TAKE_OVER } from './statements.js';

/** While this many events are unsent, no payment is polled. */
const MAX_UNSENT = 400;
const CONNECTIONS = 50;
const GATHER_MS = 10;
const TAKEN_OVER = 500;
const SECRET = Buffer.alloc(32, 'raw-loop');

/** @typedef {{ id: string, type: string, body: string }} Event */

export class Deliveries {
  /** To how many of its two destinations an event was sent. @type {Map<string, number>} */
  unsent = new Map();
  /** @type {string[]} */
  sent = [];
  /** @type {NodeJS.Timeout | undefined} */
  gathering;

  /**
   * @param {import('pg').Pool} pool commits of deliveries need not wait for the disk
   * @param {import('amqplib').ConfirmChannel} channel
   * @param {{ webhookUrl: string, exchange: string, leaseMs: number }} settings
   */
  constructor(pool, channel, settings) {
    this.pool = pool;
    this.channel = channel;
    this.settings = settings;
    this.receiver = new Pool(new URL(settings.webhookUrl).origin, { connections: CONNECTIONS });
    setInterval(() => void this.takeOver(), settings.leaseMs / 2);
    void this.takeOver();
  }

  get isFull() {
    return this.unsent.size >= MAX_UNSENT;
  }

  /** An event that cannot be sent stays in the outbox until its lease ends. */
  send(/** @type {Event} */ event) {
    this.unsent.set(event.id, 0);
    this.receiver.dispatch(requestOf(event, this.settings.webhookUrl), this.handlerOf(event.id));
    const options = { persistent: true, mandatory: true, messageId: event.id, type: event.type };
    const content = Buffer.from(event.body);
    this.channel.publish(this.settings.exchange, event.type, content, options, (error) =>
      this.arrived(event.id, error === null),
    );
  }

  /** @returns {import('undici').Dispatcher.DispatchHandler} */
  handlerOf(/** @type {string} */ id) {
    let status = 0;
    return {
      onRequestStart: () => undefined,
      onResponseStart: (_, answered) => void (status = answered),
      onResponseData: () => undefined,
      onResponseEnd: () => this.arrived(id, status >= 200 && status < 300),
      onResponseError: () => this.arrived(id, false),
    };
  }

  arrived(/** @type {string} */ id, /** @type {boolean} */ isAcknowledged) {
    const before = this.unsent.get(id);
    if (before === undefined) return;
    if (isAcknowledged && before === 0) {
      this.unsent.set(id, 1);
      return;
    }
    this.unsent.delete(id);
    if (!isAcknowledged) return;
    this.sent.push(id);
    this.gathering ??= setTimeout(() => void this.settle(), GATHER_MS);
  }

  async settle() {
    const ids = this.sent.splice(0);
    await this.pool.query(SENT, [ids.sort()]);
    this.gathering = undefined;
    if (this.sent.length > 0) this.gathering = setTimeout(() => void this.settle(), GATHER_MS);
  }

  async takeOver() {
    const { rows } = await this.pool.query(TAKE_OVER, [TAKEN_OVER, this.settings.leaseMs]);
    for (const event of rows) if (!this.unsent.has(event.id)) this.send(event);
  }
}

/** Signed as Standard Webhooks are. */
function requestOf(/** @type {Event} */ { id, body }, /** @type {string} */ url) {
  const timestamp = Math.floor(Date.now() / 1_000);
  const signature = createHmac('sha256', SECRET).update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  };
  return /** @type {const} */ ({ path: new URL(url).pathname, method: 'POST', headers, body });
}
