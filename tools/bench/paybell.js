/** The built service as a process of its own, and what it costs. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { fileURLToPath } from 'node:url';

import { freePort } from '../../test/support/free-port.js';
import { pause } from './pause.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const KEY = randomBytes(16).toString('hex');
const READY_WITHIN_MS = 30_000;
/** Linux counts processor time in these, on every machine. */
const TICK_MS = 10;

export class Paybell {
  /** @param {import('node:child_process').ChildProcess} process @param {string} url */
  constructor(process, url) {
    this.process = process;
    this.url = url;
  }

  /** Starts it with this environment over the bench's own; its log goes to a file in `folder`. */
  static async start(
    /** @type {string} */ folder,
    /** @type {Record<string, string>} */ env,
    withBroker = env['RABBITMQ_URL'] !== undefined,
  ) {
    const port = await freePort();
    const log = openSync(join(folder, 'paybell.log'), 'a');
    const nodeArgs = (process.env['BENCH_NODE_ARGS'] ?? '').split(' ').filter(Boolean);
    const child = spawn(process.execPath, [...nodeArgs, MAIN], {
      cwd: folder,
      stdio: ['ignore', log, log],
      env: {
        PATH: process.env['PATH'],
        PORT: String(port),
        API_KEYS: `bench:${KEY}`,
        ENCRYPTION_KEY: randomBytes(32).toString('base64'),
        WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
        ...env,
      },
    });
    closeSync(log);
    const paybell = new Paybell(child, `http://127.0.0.1:${port}`);
    try {
      await paybell.untilReady(withBroker);
    } catch (error) {
      await paybell.stop();
      throw new Error(`its log: ${readFileSync(join(folder, 'paybell.log'), 'utf8')}`, { cause: error });
    }
    return paybell;
  }

  /** Told of these types of events; of all when there is none. */
  async addEndpoint(/** @type {string} */ url, /** @type {string[]} */ eventTypes = []) {
    const response = await fetch(`${this.url}/api/webhook-endpoints`, {
      method: 'POST',
      headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ url, eventTypes }),
    });
    if (response.status !== 201) throw new Error(`the endpoint was refused: ${await response.text()}`);
  }

  /** The quote that it answers. */
  async quote(/** @type {object} */ body) {
    const response = await fetch(`${this.url}/api/quote`, {
      method: 'POST',
      headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`the quote was refused: ${text}`);
    return JSON.parse(text);
  }

  /** Resident memory now, in MB; NaN where there is no /proc. */
  residentMb() {
    const found = /VmRSS:\s+(\d+) kB/.exec(this.readProc('status'));
    return Number(found?.[1] ?? Number.NaN) / 1_024;
  }

  /** The most that it ever was. */
  peakMb() {
    const found = /VmHWM:\s+(\d+) kB/.exec(this.readProc('status'));
    return Number(found?.[1] ?? Number.NaN) / 1_024;
  }

  /** Processor time since its start; NaN where there is no /proc. */
  cpuMs() {
    const fields = this.readProc('stat')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(fields[11] ?? Number.NaN) + Number(fields[12] ?? Number.NaN)) * TICK_MS;
  }

  async stop() {
    await this.end('SIGTERM');
  }

  async kill() {
    await this.end('SIGKILL');
  }

  async end(/** @type {'SIGTERM' | 'SIGKILL'} */ signal) {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const gone = once(this.process, 'exit');
    this.process.kill(signal);
    await gone;
  }

  async untilReady(/** @type {boolean} */ withBroker) {
    const giveUpAt = performance.now() + READY_WITHIN_MS;
    while (performance.now() < giveUpAt) {
      if (this.process.exitCode !== null) throw new Error('Paybell ended at its start');
      if (await this.isReady(withBroker)) return;
      await pause(50);
    }
    throw new Error('Paybell was not ready in time');
  }

  async isReady(/** @type {boolean} */ withBroker) {
    try {
      const response = await fetch(`${this.url}/health/ready`);
      const { checks } = await response.json();
      return response.ok && (!withBroker || checks.rabbitmq.status === 'ok');
    } catch {
      return false;
    }
  }

  readProc(/** @type {string} */ name) {
    try {
      return readFileSync(`/proc/${this.process.pid}/${name}`, 'utf8');
    } catch {
      return '';
    }
  }
}
