import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { jsonOf } from '../support/stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const DEMO_WITHIN_MS = 180_000;
const STOPPED_WITHIN_MS = 20_000;

let demo: ChildProcess;
let printed = '';

beforeAll(async () => {
  await promisify(execFile)('npm', ['run', 'build:tools', '--silent']);
  demo = spawn(process.execPath, ['build/tools/demo/demo.js', '--stay'], { stdio: 'pipe' });
  demo.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
});
afterAll(() => {
  demo.kill('SIGKILL');
});

it(
  'npm run demo -- --stay keeps its Paybell, prints how to sign in to the dashboard, and ends with Ctrl-C',
  async () => {
    await waitFor(() => printed.includes('Ctrl-C ends the demo'), { timeoutMs: DEMO_WITHIN_MS });
    const dashboard = new URL(/The dashboard: {2}(\S+)/.exec(printed)?.[1] ?? '');
    const key = /API key: {8}(\S+)/.exec(printed)?.[1] ?? '';

    const signedIn = await fetch(`${dashboard.origin}/dashboard/session`, {
      method: 'POST',
      headers: { origin: dashboard.origin, accept: 'application/json' },
      body: new URLSearchParams({ key }),
    });
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const payments = await fetch(`${dashboard.origin}/api/payments`, { headers: { cookie } });
    expect((await jsonOf(payments, 200))['data']).toHaveLength(6);

    const ended = once(demo, 'exit');
    demo.kill('SIGINT');
    await waitFor(() => demo.exitCode !== null, { timeoutMs: STOPPED_WITHIN_MS });
    expect(await ended).toEqual([0, null]);
    await expect(fetch(dashboard)).rejects.toThrow('fetch failed');
  },
  DEMO_WITHIN_MS + STOPPED_WITHIN_MS,
);
