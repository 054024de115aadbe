import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { VERSION } from '../../../src/platform/version.ts';
import { describeWith } from '../../support/describe-with.ts';
import { packBoth } from '../../support/packed-packages.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CLIENT_MAX_BYTES = 100_000;
/** All that the client may need, at most five: standardwebhooks with what that one needs itself. */
const LIBRARIES = ['standardwebhooks', '@stablelib/base64', 'fast-sha256'];
const TYPES = ['@types/node', 'undici-types', '@types/pg', 'pg-types', 'pg-protocol'];

const USER = `
import { createServer } from 'node:http';
import type pg from 'pg';
import { type EventOf, Inbox, memoryStore, parseMessage, type PaybellEvent, postgresStore, verifyWebhook } from 'paybell-client';

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
      const reason: 'no_progress' | 'provider_silent' | 'went_back' | 'changed_after_completed' | 'unknown_status' | 'other_address' | 'partly_refunded' | 'short_output' | 'contradictory_output' | 'unverified' | 'output_missing' | 'output_reverted' | 'other_recipient' | 'other_token' | 'amount_short' | 'output_used_before' | 'output_reorged' | 'deposit_unseen_by_provider' = event.data.reason;
      return reason;
    }
    case 'attention.opened':
    case 'attention.closed':
      return event.data.code;
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
import * as client from 'paybell-client';
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const refused = [];
for (const name of ['paybell', 'paybell/client', 'paybell/dist/main.js', 'paybell-client/dist/inbox.js', '@nestjs/common', 'typeorm', 'pg'])
  await import(name).catch((error) => refused.push(name + ' ' + error.code));
console.log(JSON.stringify({ names: Object.keys(client).sort(), loaded: Object.keys(require.cache), refused }));
`;

/** What the compiler says about the user's file and the client's types; those of libraries are not ours to check. */
const PRINT_DIAGNOSTICS = `
import { join } from 'node:path';
import ts from ${JSON.stringify(join(ROOT, 'node_modules/typescript/lib/typescript.js'))};
const strictest = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true };
const { options } = ts.convertCompilerOptionsFromJson(
  { ...strictest, module: 'nodenext', target: 'es2023', types: ['node'] }, process.cwd());
const program = ts.createProgram([join(process.cwd(), 'user.ts')], options);
const ours = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(process.cwd()));
const found = [
  ...program.getOptionsDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...ours.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
];
const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => process.cwd(), getNewLine: () => '\\n' };
console.log(JSON.stringify({ checked: ours.map(({ fileName }) => fileName), said: ts.formatDiagnostics(found, host) }));
`;

const PUBLISHED = { access: 'public', provenance: true };

interface Manifest {
  readonly description: string;
  readonly keywords: readonly string[];
  readonly repository: { readonly url: string };
}

/** What npm installs beside a package: its dependencies, and theirs. */
async function closureOf(folder: string, found = new Set<string>()): Promise<Set<string>> {
  const text = await readFile(join(folder, 'package.json'), 'utf8');
  const { dependencies = {} } = JSON.parse(text) as { dependencies?: Record<string, string> };
  for (const name of Object.keys(dependencies).filter((each) => !found.has(each))) {
    found.add(name);
    await closureOf(join(ROOT, 'node_modules', name), found);
  }
  return found;
}

describeWith('tar', 'the npm packages', (tar) => {
  let folder = '';
  const tarballs = new Map<string, string>();

  /** A project of a user, with both tarballs unpacked as npm does, and nothing else but what is listed. */
  beforeAll(async () => {
    folder = await packBoth();
    for (const [name, version] of [
      ['paybell', VERSION],
      ['paybell-client', '1.0.0'],
    ] as const) {
      const tarball = join(folder, `${name}-${version}.tgz`);
      tarballs.set(name, tarball);
      const installed = join(folder, 'node_modules', name);
      await mkdir(installed, { recursive: true });
      await run(tar, ['-xzf', tarball, '-C', installed, '--strip-components=1']);
    }
    for (const name of [...LIBRARIES, ...TYPES]) {
      const link = join(folder, 'node_modules', name);
      await mkdir(join(link, '..'), { recursive: true });
      await symlink(join(ROOT, 'node_modules', name), link);
    }
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  }, 60_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  function holding(name: string, paths: readonly string[]): string[] {
    return paths.filter((path) => existsSync(join(folder, 'node_modules', name, path)));
  }

  it('have the service and the examples, and neither client nor tools nor sources nor tests', () => {
    const wanted = [
      'dist/main.js',
      'dist/cli/paybell.js',
      'docs/using/client.md',
      'examples/shop-webhooks/shop.js',
    ];
    expect(holding('paybell', wanted)).toEqual(wanted);
    const others = ['client', 'demo', 'simulation', 'bench', 'tools'].flatMap((name) => [
      name,
      `dist/${name}`,
    ]);
    expect(holding('paybell', [...others, 'src', 'test', 'packages', 'build'])).toEqual([]);
  });

  it('have the client with its types, small, with few dependencies, in the version that the docs install', async () => {
    const wanted = ['dist/index.js', 'dist/index.d.ts', 'README.md', 'LICENSE'];
    expect(holding('paybell-client', wanted)).toEqual(wanted);
    expect(holding('paybell-client', ['src', 'tsconfig.json'])).toEqual([]);
    const { size } = await stat(tarballs.get('paybell-client') ?? '');
    expect(size).toBeLessThanOrEqual(CLIENT_MAX_BYTES);
    const packages = await closureOf(join(folder, 'node_modules/paybell-client'));
    expect([...packages].toSorted()).toEqual(LIBRARIES.toSorted());
    for (const document of ['docs/using/client.md', 'packages/client/README.md'])
      expect(await readFile(join(ROOT, document), 'utf8')).toContain(
        `npm install ./${basename(tarballs.get('paybell-client') ?? '')}`,
      );
  });

  it('say what they are, under which licence, where they come from, and that a publisher has to prove it', async () => {
    const places = { paybell: undefined, 'paybell-client': 'packages/client' };
    for (const [name, directory] of Object.entries(places)) {
      const packed = join(folder, 'node_modules', name);
      const manifest = JSON.parse(await readFile(join(packed, 'package.json'), 'utf8')) as Manifest;
      expect(manifest).toMatchObject({ name, version: VERSION, license: 'MIT', publishConfig: PUBLISHED });
      expect(manifest.repository).toMatchObject({ type: 'git', ...(directory && { directory }) });
      expect(manifest.repository.url).toMatch(/^git\+https:\/\/github\.com\/[\w-]+\/[\w-]+\.git$/);
      expect(manifest.description.length).toBeGreaterThan(40);
      expect(manifest.keywords.length).toBeGreaterThanOrEqual(5);
      expect(await readFile(join(packed, 'LICENSE'), 'utf8')).toMatch(/^MIT License/);
    }
  });

  it('give paybell-client where there is neither Nest nor TypeORM nor pg, and nothing of Paybell', async () => {
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
      'paybell/client ERR_PACKAGE_PATH_NOT_EXPORTED',
      'paybell/dist/main.js ERR_PACKAGE_PATH_NOT_EXPORTED',
      'paybell-client/dist/inbox.js ERR_PACKAGE_PATH_NOT_EXPORTED',
      '@nestjs/common ERR_MODULE_NOT_FOUND',
      'typeorm ERR_MODULE_NOT_FOUND',
      'pg ERR_MODULE_NOT_FOUND',
    ]);
  });

  it('type every event by its type, in the strictest project', async () => {
    await writeFile(join(folder, 'user.ts'), USER);
    await writeFile(join(folder, 'diagnostics.js'), PRINT_DIAGNOSTICS);
    const { stdout } = await run(process.execPath, ['diagnostics.js'], { cwd: folder });
    const { checked, said } = JSON.parse(stdout) as { checked: string[]; said: string };
    expect(said).toBe('');
    const types = join('node_modules', 'paybell-client', 'dist', 'index.d.ts');
    expect(checked).toEqual(expect.arrayContaining([join(folder, types), join(folder, 'user.ts')]));
  }, 60_000);
});
