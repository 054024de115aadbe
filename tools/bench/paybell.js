/** The built service as its own process, and its cost. */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { freePort } from '../../build/tools/testkit/free-port.js';
import { PaybellProcess } from '../../build/tools/testkit/paybell-process.js';
import { cpuMs, peakMb, residentMb } from './proc.js';

const KEY = randomBytes(16).toString('hex');
const READY_WITHIN_MS = 30_000;

export class Paybell extends PaybellProcess {
  /** Starts the service with these settings in addition to the benchmark's own; its log goes to a file in `folder`. */
  static async start(
    /** @type {string} */ folder,
    /** @type {Record<string, string>} */ env,
    withBroker = env['RABBITMQ_URL'] !== undefined,
  ) {
    const logTo = openSync(join(folder, 'paybell.log'), 'a');
    const paybell = new Paybell({
      port: await freePort(),
      apiKey: KEY,
      cwd: folder,
      nodeArgs: (process.env['BENCH_NODE_ARGS'] ?? '').split(' ').filter(Boolean),
      logTo,
      env: {
        API_KEYS: `bench:${KEY}`,
        ENCRYPTION_KEY: randomBytes(32).toString('base64'),
        WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
        ...env,
      },
    });
    closeSync(logTo);
    try {
      await paybell.waitReady(READY_WITHIN_MS, (answer) => isReady(answer, withBroker));
    } catch (error) {
      await paybell.stop();
      throw new Error(`its log: ${readFileSync(join(folder, 'paybell.log'), 'utf8')}`, { cause: error });
    }
    return paybell;
  }

  /** Subscribes a URL to these types of events, or to all types. */
  async addEndpoint(/** @type {string} */ url, /** @type {string[]} */ eventTypes = []) {
    const response = await this.fetch('/api/webhook-endpoints', {
      method: 'POST',
      body: { url, eventTypes },
    });
    if (response.status !== 201) throw new Error(`the endpoint was refused: ${await response.text()}`);
  }

  /** The quote that it answers. */
  async quote(/** @type {object} */ body) {
    const response = await this.fetch('/api/quote', { method: 'POST', body });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`the quote was refused: ${text}`);
    return JSON.parse(text);
  }

  async payment(/** @type {string} */ quoteId) {
    return (await this.fetch(`/api/payments/${quoteId}`)).json();
  }

  /** The first page of a list. */
  async list(/** @type {string} */ path) {
    return (await (await this.fetch(path)).json()).data;
  }

  /** Resident memory now, in MB. */
  residentMb() {
    return residentMb(this.pid);
  }

  /** The largest memory that the process ever had. */
  peakMb() {
    return peakMb(this.pid);
  }

  /** Processor time since its start. */
  cpuMs() {
    return cpuMs(this.pid);
  }
}

async function isReady(/** @type {Response} */ response, /** @type {boolean} */ withBroker) {
  const { checks } = await response.json();
  return response.ok && (!withBroker || checks.rabbitmq.status !== 'degraded');
}
