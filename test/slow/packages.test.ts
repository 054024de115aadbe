import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { ExampleProcess } from '../support/example-process.ts';
import { packBoth, tarballsIn } from '../support/packed-packages.ts';
import { freePort } from '../../tools/testkit/free-port.ts';
import { PaybellProcess } from '../../tools/testkit/paybell-process.ts';
import { quoteRequest } from '../../tools/testkit/provider-objects.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const run = promisify(execFile);
const API_KEY = 'key-of-the-packed-one-0123456789';
const SANDBOX = {
  PROVIDER: 'sandbox',
  SANDBOX_SPEED: '40',
  POLL_INTERVAL_MS: '1500',
  POLL_MIN_GAP_MS: '1000',
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
};
const INSTALL_MS = 300_000;
const PAID_WITHIN_MS = 60_000;

/** README.md's words for a machine without Docker: how to install the package, and how to start it. */
async function wordsOfReadme(): Promise<{ install: string; start: string }> {
  const [, install = '', start = ''] =
    /Without Docker: .*?`(npm install [^`]+)`.*?`(node [^`]+)`/s.exec(await readFile('README.md', 'utf8')) ??
    [];
  return { install, start };
}

/** The command and the program of the package's own README. */
async function wordsOfClient(): Promise<{ install: string; program: string }> {
  const readme = await readFile('packages/client/README.md', 'utf8');
  const [, install = ''] = /```\n(npm install .+)\n```/.exec(readme) ?? [];
  const [, program = ''] = /```js\n(.+?)```/s.exec(readme) ?? [];
  return { install, program };
}

describe('the packed packages, each installed in an empty folder by the words of its README', () => {
  let packed = '';
  let paybell: PaybellProcess | undefined;
  let orders: TestDatabase;
  let database: TestDatabase;

  beforeAll(async () => {
    [packed, orders, database] = await Promise.all([
      packBoth(),
      createEmptyDatabase(),
      createEmptyDatabase(),
    ]);
  }, INSTALL_MS);

  afterAll(async () => {
    await paybell?.stop();
    await Promise.all([orders.drop(), database.drop()]);
    await rm(packed, { recursive: true, force: true });
  });

  /** A folder with the tarballs, in which a README's command installs the package. */
  async function installed(name: string, command: string): Promise<string> {
    const folder = join(packed, name);
    await mkdir(folder);
    for (const tarball of await tarballsIn(packed))
      await copyFile(join(packed, tarball), join(folder, tarball));
    const [npm = '', ...words] = command.split(' ');
    await run(npm, [...words, '--no-audit', '--no-fund', '--prefer-offline'], { cwd: folder });
    return folder;
  }

  function created(url: string): Promise<Response> {
    if (paybell === undefined) throw new Error('Paybell was not started');
    return paybell.fetch('/api/webhook-endpoints', { method: 'POST', body: { url } });
  }

  it(
    'paybell serves, with its pages, and answers its command line',
    async () => {
      const { install, start } = await wordsOfReadme();
      const folder = await installed('shop-service', install);
      const env = {
        ...SANDBOX,
        DATABASE_URL: database.url,
        ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
        API_KEYS: `test:${API_KEY}`,
      };
      paybell = new PaybellProcess({
        port: await freePort(),
        apiKey: API_KEY,
        env,
        cwd: folder,
        command: start.split(' '),
      });
      await paybell.waitReady(INSTALL_MS);
      expect((await paybell.fetch('/dashboard/')).status).toBe(200);
      const cli = { ...process.env, PAYBELL_URL: paybell.url, PAYBELL_API_KEY: API_KEY };
      const { stdout } = await run('npx', ['paybell', 'keys', 'list'], { cwd: folder, env: cli });
      expect(stdout).toContain('test');
    },
    INSTALL_MS,
  );

  it(
    'paybell-client verifies its webhooks, and notes a paid order once',
    async () => {
      const { install, program } = await wordsOfClient();
      const folder = await installed('shop', install);
      await writeFile(join(folder, 'shop.mjs'), program);
      await orders.query(
        'CREATE TABLE orders (id text PRIMARY KEY, fulfilled_at timestamptz, cancelled_at timestamptz)',
      );
      await orders.query("INSERT INTO orders (id) VALUES ('A-1001'), ('A-1002')");

      const port = await freePort();
      const answer = await created(`http://127.0.0.1:${port}/`);
      const { secret } = (await answer.json()) as { secret: string };
      const env = { DATABASE_URL: orders.url, WEBHOOK_SECRET: secret, PORT: String(port) };
      await ExampleProcess.start(['node', join(folder, 'shop.mjs')], env, 'the shop listens');
      const body = quoteRequest({ amount: '1.00', orderId: 'A-1001' });
      expect((await paybell?.fetch('/api/quote', { method: 'POST', body }))?.status).toBe(200);

      const paid = (): Promise<{ id: string }[]> =>
        orders.query('SELECT id FROM orders WHERE fulfilled_at IS NOT NULL');
      await waitFor(async () => (await paid()).length > 0, {
        timeoutMs: PAID_WITHIN_MS,
        what: 'the order to be paid',
      });
      expect(await paid()).toEqual([{ id: 'A-1001' }]);
      const forged = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' });
      expect(forged.status).toBe(401);
    },
    INSTALL_MS,
  );
});
