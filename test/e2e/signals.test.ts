import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, describe, expect, it } from '@jest/globals';

import { waitFor } from '../../tools/testkit/wait-for.ts';
import { freePort } from '../../tools/testkit/free-port.ts';
import { MAIN, type PaybellService } from '../../tools/testkit/paybell-process.ts';
import { AppProcess, removeDataDir, settingsIn } from '../support/app-process.ts';
import { asking, CliProcess } from '../support/cli.ts';
import { describeWith } from '../support/describe-with.ts';
import { makeDataFolder } from '../../tools/testkit/data-folder.ts';

const OPENED = /Debugger listening on (ws:\S+)/g;
/** Another process may hold Node's own port, 9229: a free port shows whether it is used. */
const ANY_PORT = { NODE_OPTIONS: '--inspect-port=0' };
const READY_WITHIN_MS = 90_000;
const SIGUSR1_BIT = 1n << 9n;

const dataDir = makeDataFolder();
afterAll(() => removeDataDir(dataDir));

/** The inspectors that opened and answer. */
async function inspectorsOf(printed: string): Promise<string[]> {
  const urls = [...printed.matchAll(OPENED)].map(([, url = '']) => `http://${new URL(url).host}/json`);
  const answers = await Promise.all(
    urls.map((url) =>
      fetch(url).then(
        () => [url],
        () => [],
      ),
    ),
  );
  return answers.flat();
}

/** Starts with the embedded database, which must end in order too. */
function start(): Promise<AppProcess> {
  return AppProcess.start({ DATA_DIR: dataDir, ...ANY_PORT });
}

/** Whether Node handles signals already: before, a signal ends any program. */
function takesSignals(pid: number): boolean {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return ['SigBlk', 'SigCgt'].some((mask) => {
    const digits = new RegExp(`${mask}:\\s*([0-9a-f]+)`).exec(status)?.[1] ?? '0';
    return (BigInt(`0x${digits}`) & SIGUSR1_BIT) !== 0n;
  });
}

const databaseRuns = (): boolean => existsSync(join(dataDir, 'postgres', 'postmaster.pid'));
const messages = (app: PaybellService): string => app.lines.join('\n');

describe('a signal', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const)(
    'stops in order: %s, with the embedded database',
    async (signal) => {
      const app = await start();
      await app.waitReady(READY_WITHIN_MS);
      expect(databaseRuns()).toBe(true);
      process.kill(app.pid, signal);
      // A closing terminal sends this signal more than once.
      if (signal === 'SIGHUP') process.kill(app.pid, signal);
      expect(await app.whenEnded()).toBe(0);
      expect([messages(app).includes(`${signal}: finishing the work in flight`), databaseRuns()]).toEqual([
        true,
        false,
      ]);
      expect(messages(app)).not.toMatch(/was not shut down properly|automatic recovery/);
    },
    2 * READY_WITHIN_MS,
  );

  it(
    'does nothing, at any moment of the start and later: SIGUSR1 opens no inspector, SIGUSR2 ends nothing',
    async () => {
      const app = await start();
      const stopped = new AbortController();
      const sending = (async () => {
        while (!takesSignals(app.pid)) await sleep(1);
        while (!stopped.signal.aborted) {
          if (app.isRunning) process.kill(app.pid, 'SIGUSR1');
          await sleep(3);
        }
      })();
      await app.waitReady(READY_WITHIN_MS);
      await sleep(1_500);
      stopped.abort();
      await sending;
      for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) process.kill(app.pid, signal);
      await sleep(200);
      expect((await app.fetch('/health/ready')).status).toBe(200);
      expect(await inspectorsOf(messages(app))).toEqual([]);

      const cli = new CliProcess(['events', 'tail'], { ...asking(app), ...ANY_PORT });
      await waitFor(async () => /^paybell_streams 1$/m.test(await (await app.fetch('/metrics')).text()));
      for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) cli.signal(signal);
      await sleep(200);
      const { code, stderr } = await cli.stop('SIGHUP');
      expect([code, await inspectorsOf(stderr)]).toEqual([0, []]);
      expect(await app.stop()).toBe(0);
    },
    2 * READY_WITHIN_MS,
  );
});

describeWith('script', 'a terminal that is lost', () => {
  it(
    'ends the service in order',
    async () => {
      const port = await freePort();
      const [group, status] = [join(dataDir, 'group'), join(dataDir, 'status')];
      // The shell outlives its terminal, and writes the exit status of the service.
      const command = `trap '' HUP; echo $$ > '${group}'; '${process.execPath}' '${MAIN}'; echo $? > '${status}'`;
      const env = {
        PATH: process.env['PATH'],
        SHELL: '/bin/sh',
        ...settingsIn(dataDir, { PORT: String(port) }),
      };
      const words = ['--quiet', '--command', command, '/dev/null'];
      const terminal = spawn('script', words, { env, stdio: 'ignore' });
      const isReady = async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok;
      await waitFor(isReady, { timeoutMs: READY_WITHIN_MS });
      terminal.kill('SIGKILL');
      // Signals the whole process group, as the system does for a terminal, though not in every container.
      process.kill(-Number(readFileSync(group, 'utf8')), 'SIGHUP');
      const written = (): string => (existsSync(status) ? readFileSync(status, 'utf8') : '');
      await waitFor(() => written() !== '', { timeoutMs: READY_WITHIN_MS });
      expect([written(), databaseRuns()]).toEqual(['0\n', false]);
    },
    2 * READY_WITHIN_MS,
  );
});
