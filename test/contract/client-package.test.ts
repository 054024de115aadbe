import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** All that the client may need: standardwebhooks with what that one needs itself. */
const LIBRARIES = ['standardwebhooks', '@stablelib/base64', 'fast-sha256'];
const TYPES = ['@types/node', 'undici-types', '@types/pg', 'pg-types', 'pg-protocol'];

const USER = `
import { createServer } from 'node:http';
import type pg from 'pg';
import { type EventOf, Inbox, memoryStore, parseMessage, type PaybellEvent, postgresStore, verifyWebhook } from 'paybell/client';

export function wordOf(event: PaybellEvent): string | null {
  switch (event.type) {
    case 'payment.created': {
      const none: null = event.data.payment;
      return none;
    }
    case 'payment.completed': {
      const status: 'COMPLETED' = event.data.status;
      return status + (event.data.payment.execution?.outputTxHash ?? '');
    }
    case 'payment.stalled':
    case 'payment.anomaly': {
      const reason: 'no_progress' | 'provider_silent' | 'went_back' | 'changed_after_completed' | 'unknown_status' = event.data.reason;
      return reason;
    }
    case 'webhook.test':
      return event.data.endpointId;
    default:
      return event.data.orderId;
  }
}

// @ts-expect-error a created payment has no reason
export const wrong = (event: EventOf<'payment.created'>) => event.data.reason;

export async function use(pool: pg.Pool, body: Buffer): Promise<void> {
  const inbox = new Inbox(postgresStore(pool, { table: 'inbox' }), { onGap: 'hold' });
  await inbox.process(parseMessage(body, { messageId: 'a' }), async (event, tx: pg.PoolClient) => {
    await tx.query('SELECT $1', [event.data.sequence]);
  });
  const inMemory = new Inbox(memoryStore({ maxPayments: 10 }));
  createServer((request) => void inMemory.process(verifyWebhook(body, request.headers, ['whsec_']), () => undefined));
}
`;

const PRINT_LOADED = `
import * as client from 'paybell/client';
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const refused = [];
for (const name of ['paybell', 'paybell/dist/main.js', '@nestjs/common', 'typeorm', 'pg'])
  await import(name).catch((error) => refused.push(name + ' ' + error.code));
console.log(JSON.stringify({ names: Object.keys(client).sort(), loaded: Object.keys(require.cache), refused }));
`;

describe('the npm package', () => {
  let folder = '';

  /** A project of a user, with the packed tarball unpacked as npm does, and nothing else but what is listed. */
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paybell-package-'));
    await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], { cwd: ROOT });
    const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '';
    const installed = join(folder, 'node_modules', 'paybell');
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', join(folder, tarball), '-C', installed, '--strip-components=1']);
    for (const name of [...LIBRARIES, ...TYPES]) {
      const link = join(folder, 'node_modules', name);
      await mkdir(join(link, '..'), { recursive: true });
      await symlink(join(ROOT, 'node_modules', name), link);
    }
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  }, 60_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('has the client, with types, and the examples, and neither sources nor tests', () => {
    const has = (path: string): boolean => existsSync(join(folder, 'node_modules/paybell', path));
    for (const path of ['dist/client/index.js', 'dist/client/index.d.ts', 'examples/shop-webhooks/shop.js'])
      expect([path, has(path)]).toEqual([path, true]);
    for (const path of ['src', 'test', 'bench']) expect([path, has(path)]).toEqual([path, false]);
  });

  it('gives paybell/client where there is neither Nest nor TypeORM nor pg, and nothing else of Paybell', async () => {
    await writeFile(join(folder, 'loaded.js'), PRINT_LOADED);
    const { stdout } = await run(process.execPath, ['loaded.js'], { cwd: folder });
    const { names, loaded, refused } = JSON.parse(stdout) as Record<'names' | 'loaded' | 'refused', string[]>;
    expect(names).toEqual([
      'Inbox',
      'InvalidWebhook',
      'UnreadableEvent',
      'isPaymentEvent',
      'memoryStore',
      'parseEvent',
      'parseMessage',
      'postgresStore',
      'verifyWebhook',
    ]);
    const packages = loaded.map((path) => path.split('/node_modules/').at(-1)?.split('/dist/')[0] ?? '');
    expect([...new Set(packages.map((name) => name.replace(/\/(lib|sha256).*$/, '')))].toSorted()).toEqual(
      LIBRARIES.toSorted(),
    );
    expect(refused).toEqual([
      'paybell ERR_PACKAGE_PATH_NOT_EXPORTED',
      'paybell/dist/main.js ERR_PACKAGE_PATH_NOT_EXPORTED',
      '@nestjs/common ERR_MODULE_NOT_FOUND',
      'typeorm ERR_MODULE_NOT_FOUND',
      'pg ERR_MODULE_NOT_FOUND',
    ]);
  });

  it('types every event by its type, in the strictest project', async () => {
    await writeFile(join(folder, 'user.ts'), USER);
    const options = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noEmit'];
    const modules = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--pretty', 'false'];
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const said = await run(process.execPath, [compiler, ...options, ...modules, 'user.ts'], { cwd: folder })
      .then(() => '')
      .catch((error: { stdout: string }) => error.stdout);
    expect(said).toBe('');
  }, 60_000);
});
