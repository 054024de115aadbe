import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';

import { restoreLinks } from '../../src/platform/embedded-postgres/binaries.ts';
import { EmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts';
import { queryAt } from '../support/database.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { makeDataFolder } from '../../tools/testkit/data-folder.ts';

const log = { log: () => undefined, warn: () => undefined, error: () => undefined };

let folder: string;
beforeAll(() => {
  // The folder is closed to every other user, like a clone of root's.
  folder = makeDataFolder();
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

describe('the embedded PostgreSQL', () => {
  let dataDir: string;
  let postgres: EmbeddedPostgres;
  let url: string;

  beforeAll(async () => {
    dataDir = join(folder, 'data');
    // Simulates a start that was killed in the middle.
    mkdirSync(join(dataDir, 'postgres.new-999999999/base'), { recursive: true });
    writeFileSync(join(dataDir, 'postgres.new-999999999/PG_VERSION'), '18\n');
    await startAnew();
    await queryAt(url, 'CREATE TABLE kept AS SELECT 42 AS answer');
  });
  afterAll(() => postgres.stop());

  async function startAnew(): Promise<void> {
    postgres = new EmbeddedPostgres({ dataDir, log });
    url = await postgres.start();
  }

  function postmasterPid(): number {
    return Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
  }

  it('serves a UTF-8 database to a role that is no superuser, on the loopback address only', async () => {
    expect(new URL(url)).toMatchObject({ hostname: '127.0.0.1', pathname: '/paybell', username: 'paybell' });
    const [role] = await queryAt(url, 'SELECT rolsuper FROM pg_roles WHERE rolname = current_user');
    expect(role).toEqual({ rolsuper: false });
    const [facts] = await queryAt(
      postgres.adminUrl,
      `SELECT current_setting('server_encoding') AS encoding, current_setting('listen_addresses') AS address,
         current_setting('unix_socket_directories') AS sockets, current_setting('fsync') AS fsync,
         current_setting('TimeZone') AS zone, current_setting('max_connections')::int AS connections`,
    );
    // The largest DATABASE_POOL_SIZE, plus twenty connections.
    const served = { encoding: 'UTF8', address: '127.0.0.1', sockets: '', zone: 'UTC', connections: 220 };
    expect(facts).toEqual({ ...served, fsync: 'on' });
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(queryAt(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  });

  it('keeps its password to its owner, and nothing of a start that was killed', () => {
    expect(readdirSync(dataDir)).toEqual(['postgres']);
    expect(statSync(join(dataDir, 'postgres')).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, 'postgres/paybell.json')).mode & 0o777).toBe(0o600);
  });

  it('starts again by itself on the same port when the server is killed', async () => {
    const killed = postmasterPid();
    process.kill(killed, 'SIGKILL');
    await waitFor(
      async () => postmasterPid() !== killed && (await queryAt(url, 'SELECT answer FROM kept')).length,
    );
  });

  it.each([
    [
      'whose process number another process has now',
      (pid: number) => `${pid}\n/x\n1700000000\n5432\n\n127.0.0.1\n`,
    ],
    ['that is empty', () => ''],
  ])(
    'stops although connections are open, and starts with all it had, also beside a lock file %s',
    async (_which, lockFile) => {
      const former = url;
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => undefined);
      await client.connect();
      const pid = postmasterPid();
      await postgres.stop();
      expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
      expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
      writeFileSync(join(dataDir, 'postgres/postmaster.pid'), lockFile(process.pid));
      await startAnew();
      expect(url).toBe(former);
      expect(await queryAt(url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    },
  );

  it('takes another port when its own is taken', async () => {
    const own = Number(new URL(url).port);
    await postgres.stop();
    const other = createServer().listen(own, '127.0.0.1');
    await startAnew();
    expect(Number(new URL(url).port)).not.toBe(own);
    other.close();
  });
});

describe('the first start of the embedded PostgreSQL', () => {
  it('says so when its folder holds something else', async () => {
    const dataDir = join(folder, 'letters');
    mkdirSync(join(dataDir, 'postgres'), { recursive: true });
    writeFileSync(join(dataDir, 'postgres/letter.txt'), 'dear reader');
    await expect(new EmbeddedPostgres({ dataDir, log }).start()).rejects.toThrow(
      /neither empty nor a finished database.*DATABASE_URL/s,
    );
    expect(readdirSync(join(dataDir, 'postgres'))).toEqual(['letter.txt']);
  });

  it('can be stopped before and while it starts', async () => {
    const dataDir = join(folder, 'stopped');
    const postgres = new EmbeddedPostgres({ dataDir, log });
    const starting = postgres.start();
    await Promise.all([postgres.stop(), expect(starting).rejects.toThrow(/stopped/)]);
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
  });

  it('makes the library links that an npm without install scripts leaves out', () => {
    const library = join(folder, 'native/lib');
    mkdirSync(library, { recursive: true });
    writeFileSync(join(library, 'libpq.so.5.18'), 'code');
    const names = ['libpq.so.5', 'libpq.so'];
    const links = names.map((name) => ({ source: 'native/lib/libpq.so.5.18', target: `native/lib/${name}` }));
    writeFileSync(join(folder, 'native/pg-symlinks.json'), JSON.stringify(links));
    restoreLinks(folder);
    restoreLinks(folder);
    for (const name of names) {
      expect(lstatSync(join(library, name)).isSymbolicLink()).toBe(true);
      expect(readFileSync(join(library, name), 'utf8')).toBe('code');
    }
  });
});
