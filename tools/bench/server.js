/** The PostgreSQL for the benchmark's databases: TEST_DATABASE_URL, a local one, or the embedded one. */
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { join } from 'node:path';

import pg from 'pg';

import { service } from './service-modules.js';

const { EmbeddedPostgres } = service;

const LOCAL = { host: '127.0.0.1', port: 5432 };
const CONNECT_WITHIN_MS = 500;

export class Server {
  /** @param {string} url @param {string} origin @param {() => Promise<void>} stop */
  constructor(url, origin, stop) {
    this.url = url;
    this.origin = origin;
    this.stop = stop;
  }

  static async find(/** @type {string} */ folder) {
    const given = process.env['TEST_DATABASE_URL'];
    if (given !== undefined) return new Server(given, 'TEST_DATABASE_URL', async () => undefined);
    if (await isReachable(LOCAL)) {
      const url = `postgres://postgres@${LOCAL.host}:${LOCAL.port}/postgres`;
      return new Server(url, 'local', async () => undefined);
    }
    const quiet = { log() {}, warn() {}, error() {} };
    const embedded = new EmbeddedPostgres({ dataDir: join(folder, 'data'), log: quiet });
    await embedded.start();
    return new Server(embedded.adminUrl, 'embedded', () => embedded.stop());
  }

  async version() {
    const [row] = await this.query('SHOW server_version');
    return `${row.server_version.split(' ')[0]} (${this.origin})`;
  }

  /** @returns {Promise<any[]>} */
  async query(/** @type {string} */ sql) {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }
}

export async function isReachable(/** @type {{ host: string, port: number }} */ place) {
  const socket = createConnection(place);
  const limit = AbortSignal.timeout(CONNECT_WITHIN_MS);
  try {
    await once(socket, 'connect', { signal: limit });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
