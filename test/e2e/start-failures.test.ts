import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';

import { describeWith } from '../support/describe-with.ts';

import { SharedProcess } from '../support/shared-process.ts';
import { Stage } from '../support/stage.ts';
import { EmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { makeDataFolder } from '../../tools/testkit/data-folder.ts';

const MAIN = resolve('dist/main.js');
const CLI = resolve('dist/cli/paybell.js');
const CHECK = resolve('src/platform/process/check-node.js');
const STACK = /\n\s+at |\\n +at /;
const NO_DATABASE = { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/none', PROVIDER: 'sandbox' };
const QUIET = { log: () => undefined, warn: () => undefined, error: () => undefined };
const NOBODY = 65_534;
const GIVE_UP_MS = 15_000;

const root = makeDataFolder();
let dataDir: string;
beforeEach(() => {
  dataDir = join(mkdtempSync(join(root, 'x-')), 'data');
});
const cleanup: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const step of cleanup) await step();
});
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

interface Ended {
  readonly code: number | NodeJS.Signals | null;
  readonly text: string;
}

/** Runs a program until it ends; kills a program that hangs. */
function run(
  command: readonly string[],
  options: { env?: Record<string, string>; uid?: number } = {},
): Promise<Ended> {
  const [program = '', ...args] = command;
  return new Promise((done, failed) => {
    const { PATH } = process.env;
    const child = spawn(program, args, {
      ...options,
      cwd: root,
      env: { PATH, PORT: '0', ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: GIVE_UP_MS,
      killSignal: 'SIGKILL',
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += String(part)));
    child.once('error', failed);
    child.once('close', (code, signal) => done({ code: code ?? signal, text }));
  });
}

/** Returns the only fatal line, which is the last one: a sentence without a stack. */
function lastWordOf({ code, text }: Ended): string {
  expect(code).toBe(1);
  expect(text).not.toMatch(STACK);
  const lines = text.trim().split('\n');
  expect(lines.filter((line) => /"level":"(error|fatal)"/.test(line))).toHaveLength(1);
  const last = JSON.parse(lines.at(-1) ?? '') as Record<string, string>;
  expect(last).toMatchObject({ level: 'fatal', context: 'Paybell' });
  expect(last['err']).toBeUndefined();
  return last['msg'] ?? '';
}

/** These failures come long after the start, so that a shared process suffices. */
const shared = new SharedProcess();

async function startIn(env: Record<string, string>): Promise<Ended> {
  const service = await shared.start(env);
  const late = setTimeout(() => void service.kill9(), GIVE_UP_MS);
  const code = await service.whenEnded();
  clearTimeout(late);
  return { code, text: service.lines.join('\n') };
}

const startOn = (dir: string): Promise<Ended> => startIn({ DATA_DIR: dir });

/** Runs the check once for each version. */
const CHECK_EACH = `
  const [check, ...versions] = process.argv.slice(1);
  process.exit = (code) => process.stderr.write('exit ' + code + '\\n');
  for (const node of versions) {
    Object.defineProperty(process, 'versions', { configurable: true, value: { ...process.versions, node } });
    await import(check + '?' + node);
  }`;

describe('a Node that is too old', () => {
  const AS_NODE_18 =
    "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'18.20.8'}})";

  it.each([
    ['the service', [MAIN]],
    ['the command line', [CLI, 'keys', 'list']],
    ['the build', [CHECK]],
  ])('is reported by %s in one sentence', async (_what, words) => {
    expect(await run([process.execPath, '--import', AS_NODE_18, ...words])).toEqual({
      code: 1,
      text: 'Paybell needs Node >= 20.19, this is 18.20.8.\n',
    });
  });

  it('is any before 20.19, and none after it', async () => {
    const tooOld = ['20.18.3', '16.0.0', '8.17.0'];
    const versions = [...tooOld, '20.19.0', '21.0.0', '22.12.0', '24.1.0', '100.0.0'];
    const { text } = await run([
      process.execPath,
      '--input-type=module',
      '-e',
      CHECK_EACH,
      CHECK,
      ...versions,
    ]);
    expect(text).toBe(
      tooOld.map((version) => `Paybell needs Node >= 20.19, this is ${version}.\nexit 1\n`).join(''),
    );
  });
});

describe('too few open files', () => {
  it.each([100, 1_000])('are reported for what they are: %d', async (limit) => {
    const { code, text } = await run(
      ['sh', '-c', `ulimit -n ${limit}; exec "$0" "$1"`, process.execPath, MAIN],
      {
        env: { ...NO_DATABASE, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') },
      },
    );
    expect(text).toBe(
      `Paybell cannot be loaded: it may open only ${limit} files; raise that limit to 1024 or more (ulimit -n).\n`,
    );
    expect(code).toBe(1);
  });
});

describe('a DATA_DIR', () => {
  it('where nothing can be made ends the start, and does not hang', async () => {
    for (const dir of ['/proc/paybell-data', '/proc/paybell-data/deep/er'])
      expect(lastWordOf(await startOn(dir))).toMatch(
        /DATA_DIR \/proc\S+ cannot be made: .*\/proc.*Set DATABASE_URL/,
      );
  });

  it('that is a file, or below one, is reported', async () => {
    writeFileSync(dataDir, 'a letter');
    expect(lastWordOf(await startOn(dataDir))).toContain(`${dataDir} is a file, not a folder`);
    expect(lastWordOf(await startOn(join(dataDir, 'deeper')))).toMatch(/cannot be made: .*not a folder/);
  });

  it('of another PostgreSQL names both, and the way', async () => {
    mkdirSync(join(dataDir, 'postgres'), { recursive: true });
    writeFileSync(join(dataDir, 'postgres/PG_VERSION'), '15\n');
    writeFileSync(join(dataDir, 'postgres/paybell.json'), '{"password":"x","port":null}');
    expect(lastWordOf(await startOn(dataDir))).toMatch(
      /is of PostgreSQL 15, and this Paybell brings PostgreSQL \d+\. Start the Paybell release that made it, or move the data by a dump/,
    );
  });

  it('that is in use is reported, and so is an encryption key that is none', async () => {
    const owner = new EmbeddedPostgres({ dataDir, log: QUIET });
    await owner.start();
    expect(lastWordOf(await startOn(dataDir))).toMatch(/^DATA_DIR .* is in use by another running Paybell/);
    await owner.stop();
    writeFileSync(join(dataDir, 'encryption-key'), 'short');
    expect(lastWordOf(await startOn(dataDir))).toMatch(
      /encryption-key does not hold 32 bytes.*ENCRYPTION_KEY/,
    );
  });

  describeWith('root', 'of another user', () => {
    it('is reported', async () => {
      mkdirSync(dataDir, { recursive: true, mode: 0o700 });
      const ended = await run(['setpriv', '--reuid', `${NOBODY}`, '--clear-groups', process.execPath, MAIN], {
        env: { DATA_DIR: dataDir },
      });
      expect(lastWordOf(ended)).toMatch(/this user may not \w+ .*data/);
    });
  });
});

describe('an address that cannot be listened on', () => {
  const env = { ...NO_DATABASE, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') };

  it('is logged once, without a stack, also beside a database', async () => {
    const other = await HttpReceiver.start();
    cleanup.push(() => other.close());
    const stage = await Stage.open();
    const port = new URL(other.url).port;
    const more = { DATABASE_URL: stage.database.url, API_KEYS: 'test:a-key-of-sixteen-letters', PORT: port };
    const taken = { ...stage.env(env), ...more };
    expect(lastWordOf(await run([process.execPath, MAIN], { env: taken }))).toMatch(
      /another program listens there; set PORT/,
    );
    for (const [host, words] of [
      ['192.0.2.1', 'this machine has no such address'],
      ['no..host', 'this name is not known here'],
    ] as const)
      expect(lastWordOf(await startIn({ ...env, HOST: host }))).toContain(words);
  });
});
