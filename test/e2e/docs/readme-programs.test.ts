import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { signedHeaders } from '../../../src/destinations/webhook/webhook-sender.ts';
import { newSigningKey } from '../../../src/features/webhook-endpoints/new-signing-key.ts';
import { ROOT, snippet } from '../../support/doc-snippet.ts';
import { freePort } from '../../../tools/testkit/free-port.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';

const PAGE = 'docs/using/quickstart.md';
const EVENT_ID = '019aa0c4-7c1e-7b6e-9d0e-1c2f3a4b5c6d';
const BODY = `{"id":"${EVENT_ID}","type":"payment.completed","data":{"orderId":"A-1001","sequence":4}}`;

let folder: string;
let child: ChildProcess | undefined;
let output = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paybell-readme-'));
  output = '';
});

afterEach(async () => {
  const running = child;
  child = undefined;
  if (running?.exitCode === null) {
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await ended;
  }
  await rm(folder, { recursive: true });
});

/** The command of the page that contains this text. */
async function command(part: string): Promise<string> {
  const page = await readFile(join(ROOT, PAGE), 'utf8');
  const found = [...page.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  const commands = found.filter((code) => code.includes(part));
  expect(commands).toHaveLength(1);
  return commands[0] ?? '';
}

/** Follows the page in an empty folder; only the package comes from this repository instead of the network. */
async function follow(file: string, packageName: string, code: string): Promise<void> {
  expect(await command(`npm install ${packageName}`)).toBe(`npm init -y && npm install ${packageName}`);
  execFileSync('npm', ['init', '-y'], { cwd: folder, stdio: 'ignore' });
  await mkdir(join(folder, 'node_modules'));
  await symlink(join(ROOT, 'node_modules', packageName), join(folder, 'node_modules', packageName));
  expect(await readFile(join(ROOT, PAGE), 'utf8')).toContain(`save this as \`${file}\``);
  await writeFile(join(folder, file), code);
}

function start(line: string, env: Record<string, string> = {}): void {
  const PATH = process.env['PATH'] ?? '';
  child = spawn('sh', ['-c', line.replace(/node (\S+)$/, 'exec node $1')], {
    cwd: folder,
    env: { PATH, ...env },
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
}

function failIfEnded(): void {
  if (child?.exitCode !== null) throw new Error(`it ended: ${output}`);
}

it('runs the shop of the quickstart in an empty folder', async () => {
  const { secret } = newSigningKey('v1');
  const port = await freePort();
  await follow('shop.mjs', 'standardwebhooks', await snippet(PAGE, 'webhook in Node'));
  const line = await command('node shop.mjs');
  expect(line).toContain('WEBHOOK_SECRET=whsec_… ');
  start(line.replace('whsec_…', secret), { PORT: String(port) });
  const url = `http://127.0.0.1:${port}/webhooks/paybell`;
  const post = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(url, { method: 'POST', headers, body: BODY })).status;
  const isUp = async (): Promise<boolean> => {
    failIfEnded();
    return (await post({}).catch(() => 0)) === 401;
  };
  await waitFor(isUp, { what: 'the shop to listen' });
  const other = newSigningKey('v1').secret;
  expect(await post(signedHeaders(EVENT_ID, BODY, [other], new Date()))).toBe(401);
  expect(await post(signedHeaders(EVENT_ID, BODY, [secret], new Date()))).toBe(204);
  await waitFor(() => output.includes('payment.completed A-1001 4'));
});
