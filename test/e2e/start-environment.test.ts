import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { AppProcess } from '../support/app-process.ts';
import { composeEnvironment, LOGIN_SHELL, POD } from '../support/environments.ts';
import { SharedProcess } from '../support/shared-process.ts';
import { freePort } from '../../tools/testkit/free-port.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

/** No server answers at this address: the service still starts, and waits. */
const NO_DATABASE = { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/none', PROVIDER: 'sandbox' };
const { version: VERSION } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const CLI = resolve('dist/cli/paybell.js');

describe('the environment of', () => {
  /** Libraries read the environment while they are loaded. */
  const shared = new SharedProcess({ ...LOGIN_SHELL, ...POD, PATH: process.env['PATH'] ?? '' });

  it.each([
    ['a login shell', LOGIN_SHELL],
    ['a pod', POD],
    ['compose', composeEnvironment()],
  ])('%s starts the service, which lives and stops without a database', async (_where, env) => {
    const ours = { HOST: '127.0.0.1', PORT: String(await freePort()) };
    const app = await shared.start({ ...NO_DATABASE, ...env, PROVIDER: 'sandbox', ...ours });
    await waitFor(() => !app.isRunning || app.lines.some((line) => line.includes('listening on')));
    expect(app.lines.join('\n')).not.toContain('did you mean');
    expect(app.isRunning).toBe(true);
    expect((await fetch(`${app.url}/health/live`)).status).toBe(200);
    expect(await app.stop()).toBe(0);
  });
});

describe('a misspelt variable', () => {
  it.each([['PROVIDER_BASEURL', 'PROVIDER_BASE_URL']])(
    '%s stops the service and the command line, and its value is not shown',
    async (name, meant) => {
      const line = `${name} is not a setting: did you mean ${meant}?`;
      const app = await AppProcess.start({ ...NO_DATABASE, [name]: 'hunter2' });
      expect(await app.whenEnded()).toBe(1);
      expect(app.lines).toEqual(['The configuration is not valid:', `  - ${line}`]);
      expect(await paybell(['provider', 'check'], { [name]: 'hunter2' })).toEqual([
        1,
        '',
        `The configuration is not valid:\n  - ${line}\n`,
      ]);
    },
  );
});

describe('the command line', () => {
  it('answers help with its usage on standard output', async () => {
    expect(await paybell(['help'], {})).toEqual([
      0,
      expect.stringMatching(/^Usage: paybell \[options\] \[command\]\n/),
      '',
    ]);
  });

  it('answers a command that it does not know with its usage on standard error', async () => {
    expect(await paybell(['nothing'], {})).toEqual([
      2,
      '',
      expect.stringMatching(/^error: unknown command 'nothing'\n\nUsage: paybell /),
    ]);
  });

  it('answers --version with the release', async () => {
    expect(await paybell(['--version'], {})).toEqual([0, `${VERSION}\n`, '']);
  });
});

/** The exit status, standard output and standard error. */
function paybell(
  words: readonly string[],
  settings: Record<string, string>,
): Promise<[unknown, string, string]> {
  const env = { PATH: process.env['PATH'], ...settings };
  return new Promise((done) => {
    execFile(process.execPath, [CLI, ...words], { env }, (error, out, err) =>
      done([error?.code ?? 0, out, err]),
    );
  });
}
