import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
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
/** The only libraries that the client may bring along: standardwebhooks and its dependencies. */
const LIBRARIES = ['standardwebhooks', '@stablelib/base64', 'fast-sha256'];
const TYPES = ['@types/node', 'undici-types', '@types/pg', 'pg-types', 'pg-protocol'];

const USER = `
import { createServer } from 'node:http';
import type pg from 'pg';
import { type EventOf, Inbox, memoryStore, parseMessage, type PaybellEvent, postgresStore, verdictOf, verifyWebhook } from 'paybell-client';

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
      const reason: 'no_progress' | 'provider_silent' | 'went_back' | 'changed_after_completed' | 'unknown_status' | 'other_address' | 'underpaid' | 'overpaid' | 'other_token_received' | 'partly_refunded' | 'short_output' | 'contradictory_output' | 'unverified' | 'output_missing' | 'output_reverted' | 'other_recipient' | 'other_token' | 'amount_short' | 'output_used_before' | 'output_reorged' | 'double_spent' | 'deposit_unseen_by_provider' = event.data.reason;
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
    const verdict: 'fulfil' | 'wait' | 'ask' | 'give_back' | 'nothing' = verdictOf(event).verdict;
    await tx.query('SELECT $1', [verdict]);
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

const TAKER = `
import { type EventOf, Inbox, memoryStore, verifyWebhook } from 'paybell-client';

export const orderOf = (event: EventOf<'payment.completed'>): string | null => event.data.orderId;
// @ts-expect-error a status is no number
export const wrong = (event: EventOf<'payment.completed'>): number => event.data.status;
export const take = (body: string, headers: Record<string, string>): Promise<string> =>
  new Inbox(memoryStore()).process(verifyWebhook(body, headers, 'whsec_'), () => undefined);
`;

/** The types that openapi-typescript makes of the API, which a shop's own client uses. */
const READER = `
import type { components, operations } from '../schema.ts';

type Body<Id extends keyof operations> = operations[Id] extends { responses: { 200: { content: { 'application/json': infer Found } } } } ? Found : never;

export function depositOf({ deposit, execution, status }: Body<'getStatus'>): string | null | undefined {
  const word: 'AWAITING_DEPOSIT' | 'DEPOSIT_RECEIVED' | 'EXECUTING' | 'COMPLETED' | 'FAILED' | 'EXPIRED' = status;
  const own: unknown = deposit?.['own'];
  const hash: string | null | undefined = execution.steps[0]?.txHash ?? execution.refund?.txHash;
  return deposit?.amount ?? hash ?? word + String(own);
}
// @ts-expect-error an amount is no number
export const wrong = (body: Body<'getStatus'>): number | null | undefined => body.deposit?.amount;
export const gasOf = ({ gas }: Body<'getStatus'>): string | null | undefined => gas?.amount;
export const alive = (body: Body<'getLiveness'>): 'ok' => body.status;
export const codeOf = (problem: components['schemas']['Problem']): string => problem.code;
export const quoteIds = (page: Body<'listPayments'>): string[] => page.data.map(({ quoteId }) => quoteId);
export const reported = (event: components['schemas']['payment.completed']): unknown => event.data.payment['status'];
`;

interface Project {
  readonly text: string;
  readonly type: 'module' | 'commonjs';
  readonly options: object;
}

const taker = (type: Project['type'], options: object): Project => ({ text: TAKER, type, options });

/** Projects of users, with the strictest settings. Only the first one has the types of Node. */
const PROJECTS: Readonly<Record<string, Project>> = {
  strictest: { text: USER, type: 'module', options: { module: 'nodenext', types: ['node'] } },
  node10: taker('commonjs', {
    module: 'commonjs',
    moduleResolution: 'node10',
    ignoreDeprecations: '6.0',
  }),
  node16: taker('module', { module: 'node16' }),
  nodenext: taker('module', { module: 'nodenext' }),
  require: taker('commonjs', { module: 'nodenext' }),
  bundler: taker('module', { module: 'esnext', moduleResolution: 'bundler' }),
  api: { text: READER, type: 'module', options: { module: 'nodenext' } },
};

/** The compiler's messages about each user's file and the types that it reads; types of libraries are not ours to check. */
const PRINT_DIAGNOSTICS = `
import { join } from 'node:path';
import ts from ${JSON.stringify(join(ROOT, 'node_modules/typescript/lib/typescript.js'))};
const strictest = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true };
const libraries = new Map();
function compiled(name, more) {
  const { options, errors } = ts.convertCompilerOptionsFromJson({ ...strictest, target: 'es2023', types: [], ...more }, process.cwd());
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  host.getSourceFile = (path, ...how) => {
    if (!path.includes('/typescript/lib/')) return read(path, ...how);
    if (!libraries.has(path)) libraries.set(path, read(path, ...how));
    return libraries.get(path);
  };
  const program = ts.createProgram([join(process.cwd(), name, 'user.ts')], options, host);
  const ours = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(process.cwd()));
  const found = [
    ...errors,
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...ours.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ];
  const format = { getCanonicalFileName: (path) => path, getCurrentDirectory: () => process.cwd(), getNewLine: () => '\\n' };
  return { checked: ours.map(({ fileName }) => fileName), said: ts.formatDiagnostics(found, format) };
}
const projects = Object.entries(JSON.parse(process.argv[2]));
console.log(JSON.stringify(Object.fromEntries(projects.map(([name, { options }]) => [name, compiled(name, options)]))));
`;

const CLIENT_TYPES = join('node_modules', 'paybell-client', 'dist', 'index.d.ts');
const PUBLISHED = { access: 'public', provenance: true };

interface Manifest {
  readonly description: string;
  readonly keywords: readonly string[];
  readonly repository: { readonly url: string };
}

/** The packages that npm installs beside a package: its dependencies, and theirs. */
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
  let compiled: Record<string, { readonly checked: readonly string[]; readonly said: string }> = {};

  /** A user's project in which both tarballs are unpacked as npm does, with nothing else except the listed packages. */
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
    await copyFile(join(ROOT, 'web/src/api/schema.d.ts'), join(folder, 'schema.d.ts'));
    await writeFile(join(folder, 'diagnostics.js'), PRINT_DIAGNOSTICS);
    for (const [kind, { text, type }] of Object.entries(PROJECTS)) {
      await mkdir(join(folder, kind));
      await writeFile(join(folder, kind, 'package.json'), JSON.stringify({ type }));
      await writeFile(join(folder, kind, 'user.ts'), text);
    }
    const words = ['diagnostics.js', JSON.stringify(PROJECTS)];
    compiled = JSON.parse((await run(process.execPath, words, { cwd: folder })).stdout) as typeof compiled;
  });

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
      'verdictOf',
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

  it.each(['strictest', 'node10', 'node16', 'nodenext', 'require', 'bundler'])(
    'give paybell-client, and each event by its type, to a project of %s',
    (kind) => {
      expect(compiled[kind]).toEqual({
        said: '',
        checked: expect.arrayContaining([join(folder, CLIENT_TYPES), join(folder, kind, 'user.ts')]),
      });
    },
  );

  it('give paybell-client to require(), too', async () => {
    const words = ['--input-type=commonjs', '-p', "typeof require('paybell-client').verifyWebhook"];
    expect((await run(process.execPath, words, { cwd: folder })).stdout).toBe('function\n');
  });

  it('are beside an API whose generated types a strict client reads', () => {
    const files = [join(folder, 'schema.d.ts'), join(folder, 'api', 'user.ts')];
    expect(compiled['api']).toEqual({ said: '', checked: files });
  });
});
