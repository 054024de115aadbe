import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';

import { EmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts';
import { queryAt } from '../support/database.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { makeDataFolder } from '../../tools/testkit/data-folder.ts';

const quiet = { log: () => undefined, warn: () => undefined, error: () => undefined };

describe('the embedded PostgreSQL', () => {
  let dataDir: string;
  let postgres: EmbeddedPostgres;

  beforeAll(() => {
    // Closed to every other user, as a root user's clone is.
    dataDir = makeDataFolder();
  });

  beforeEach(() => {
    postgres = new EmbeddedPostgres({ dataDir, log: quiet });
  });

  afterEach(async () => {
    await postgres.stop();
  });

  afterAll(() => {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  async function startAnew(): Promise<string> {
    postgres = new EmbeddedPostgres({ dataDir, log: quiet });
    return postgres.start();
  }

  function postmasterPid(): number {
    return Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
  }

  it('serves a UTF-8 database to a role that is no superuser, on the loopback address only', async () => {
    const url = await postgres.start();
    expect(new URL(url)).toMatchObject({ hostname: '127.0.0.1', pathname: '/paybell', username: 'paybell' });
    const [role] = await queryAt(url, 'SELECT rolsuper FROM pg_roles WHERE rolname = current_user');
    expect(role).toEqual({ rolsuper: false });
    const [facts] = await queryAt(
      postgres.adminUrl,
      `SELECT current_setting('server_encoding') AS encoding, current_setting('listen_addresses') AS address,
         current_setting('unix_socket_directories') AS sockets, current_setting('fsync') AS fsync,
         current_setting('TimeZone') AS zone, current_setting('max_connections')::int AS connections`,
    );
    expect(facts).toEqual({
      encoding: 'UTF8',
      address: '127.0.0.1',
      sockets: '',
      fsync: 'on',
      zone: 'UTC',
      // As many as DATABASE_POOL_SIZE may be, and twenty.
      connections: 220,
    });
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(queryAt(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  });

  it('keeps its password to its owner', async () => {
    await postgres.start();
    expect(statSync(join(dataDir, 'postgres')).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, 'postgres/paybell.json')).mode & 0o777).toBe(0o600);
  });

  it('keeps data, password and port across restarts', async () => {
    const url = await postgres.start();
    await queryAt(url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await postgres.stop();
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
    expect(await startAnew()).toBe(url);
    expect(await queryAt(url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('stops although connections are open', async () => {
    const client = new pg.Client({ connectionString: await postgres.start() });
    client.on('error', () => undefined);
    await client.connect();
    const pid = postmasterPid();
    await postgres.stop();
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  });

  it('starts again by itself on the same port when the server is killed', async () => {
    const url = await postgres.start();
    await queryAt(url, 'CREATE TABLE survivor AS SELECT 42 AS answer');
    const killed = postmasterPid();
    process.kill(killed, 'SIGKILL');
    await waitFor(
      async () => postmasterPid() !== killed && (await queryAt(url, 'SELECT answer FROM survivor')).length,
    );
  });

  it('is not confused by a lock file whose process number another process has now', async () => {
    const url = await postgres.start();
    await postgres.stop();
    const lockFile = `${process.pid}\n${dataDir}/postgres\n1700000000\n5432\n\n127.0.0.1\n`;
    writeFileSync(join(dataDir, 'postgres/postmaster.pid'), lockFile);
    expect(await startAnew()).toBe(url);
  });

  it('is not confused by an empty lock file', async () => {
    const url = await postgres.start();
    await postgres.stop();
    writeFileSync(join(dataDir, 'postgres/postmaster.pid'), '');
    expect(await startAnew()).toBe(url);
  });

  it('takes another port when its own is taken', async () => {
    await postgres.start();
    await postgres.stop();
    const other = new EmbeddedPostgres({ dataDir: join(dataDir, 'other'), log: quiet });
    try {
      await other.start();
      const access = join(dataDir, 'postgres/paybell.json');
      const taken = Number(new URL(other.adminUrl).port);
      writeFileSync(access, JSON.stringify({ ...JSON.parse(readFileSync(access, 'utf8')), port: taken }));
      const again = Number(new URL(await startAnew()).port);
      expect(again).not.toBe(taken);
    } finally {
      await other.stop();
    }
  });
});
