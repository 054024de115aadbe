import { spawnSync } from 'node:child_process';
import { constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { freePort } from '../../tools/testkit/free-port.ts';
import { PaybellProcess } from '../../tools/testkit/paybell-process.ts';
import { SmallDisk } from '../../tools/testkit/small-disk.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { API_KEY, settingsIn } from '../support/app-process.ts';
import { describeWith } from '../support/describe-with.ts';
import { Stage } from '../support/stage.ts';

const SUMMARY = /(\d+) lines? could not be written since \S+Z, and are lost: (\w+)/g;
/** An uncaught error whose message could make a logger fail. */
const THROWING = `data:text/javascript,process.on('SIGWINCH', () => {
  throw Object.defineProperty(new Error(), 'message', { get() { throw this; } });
})`;
const READY_WITHIN_MS = 90_000;
const PIPE_BYTES = 64 * 1024;

let stage: Stage;
const folder = mkdtempSync(join(tmpdir(), 'paybell-log-'));
const started: PaybellProcess[] = [];

beforeAll(async () => {
  stage = await Stage.open();
});

afterAll(async () => {
  for (const app of started) await app.kill9();
  rmSync(folder, { recursive: true, force: true });
});

/** At this level each request logs a line. */
async function startOn(logTo: number, nodeArgs: readonly string[] = []): Promise<PaybellProcess> {
  const env = settingsIn(folder, stage.env({ LOG_LEVEL: 'debug' }));
  const app = new PaybellProcess({ port: await freePort(), apiKey: API_KEY, env, logTo, nodeArgs });
  started.push(app);
  await app.waitReady(READY_WITHIN_MS);
  return app;
}

async function makeLines(app: PaybellProcess, count: number): Promise<number> {
  let slowestMs = 0;
  for (let made = 0; made < count; made += 1) {
    const startedAt = performance.now();
    await app.fetch('/health/live');
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
  }
  return slowestMs;
}

async function droppedAt(app: PaybellProcess, cause: string): Promise<number> {
  const text = await (await app.fetch('/metrics')).text();
  const series = new RegExp(`^paybell_log_lines_dropped_total\\{cause="${cause}"\\} (\\d+)$`, 'm');
  return Number(series.exec(text)?.[1]);
}

describe('a log that cannot be written', () => {
  it(
    'is dropped and counted, and the service starts, works and stops',
    async () => {
      const app = await startOn(openSync('/dev/full', 'w'));
      await makeLines(app, 10);
      expect(await droppedAt(app, 'ENOSPC')).toBeGreaterThan(10);
      expect(await stage.quote(app)).toMatch(/\w/);
      expect(await app.stop()).toBe(0);
    },
    2 * READY_WITHIN_MS,
  );

  it(
    'does not change the exit status of a process that an error ends, whatever that error is',
    async () => {
      const app = await startOn(openSync('/dev/full', 'w'), ['--import', THROWING]);
      process.kill(app.pid, 'SIGWINCH');
      expect(await app.whenEnded()).toBe(1);
    },
    2 * READY_WITHIN_MS,
  );

  it(
    'since nobody reads the pipe holds up nothing, and is said once somebody does',
    async () => {
      const path = join(folder, 'pipe');
      expect(spawnSync('mkfifo', [path]).status).toBe(0);
      const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
      const app = await startOn(pipe);
      await makeLines(app, 500);
      await waitFor(async () => (await droppedAt(app, 'EAGAIN')) > 0);
      const dropped = await droppedAt(app, 'EAGAIN');
      expect(await makeLines(app, 20)).toBeLessThan(1_000);
      expect(await droppedAt(app, 'EAGAIN')).toBeGreaterThanOrEqual(dropped + 20);
      let read = '';
      await waitFor(() => {
        read += readAvailable(pipe);
        return summariesIn(read).length > 0;
      });
      expect(await app.stop()).toBe(0);
      read += readAvailable(pipe);
      expect(read).toContain('stopped');
      expect(summariesIn(read)).toEqual([[expect.stringMatching(/^\d{2,}$/), 'EAGAIN']]);
    },
    2 * READY_WITHIN_MS,
  );
});

describeWith('root', 'a log on a full disk', () => {
  it(
    'goes on once there is room, after one line that says how many are lost, and every line is whole',
    async () => {
      const disk = SmallDisk.make(join(folder, 'disk'), 1);
      try {
        const file = join(disk.folder, 'log');
        const app = await startOn(openSync(file, 'a'));
        disk.fill();
        await makeLines(app, 100);
        disk.empty();
        await waitFor(() => summariesIn(readFileSync(file, 'utf8')).length > 0);
        const dropped = await droppedAt(app, 'ENOSPC');
        expect(dropped).toBeGreaterThan(50);
        await makeLines(app, 3);
        expect(await app.stop()).toBe(0);
        const text = readFileSync(file, 'utf8');
        expect(summariesIn(text)).toEqual([[String(dropped), 'ENOSPC']]);
        const lines = text.trimEnd().split('\n');
        expect(lines.map((line) => typeof JSON.parse(line))).toEqual(lines.map(() => 'object'));
        expect(text).toMatch(/lost: ENOSPC[^]*"msg":"GET \/health\/live/);
      } finally {
        disk.remove();
      }
    },
    2 * READY_WITHIN_MS,
  );
});

function summariesIn(text: string): (string | undefined)[][] {
  return [...text.matchAll(SUMMARY)].map(([, lines, cause]) => [lines, cause]);
}

function readAvailable(pipe: number): string {
  const bytes = Buffer.alloc(PIPE_BYTES);
  try {
    return bytes.toString('utf8', 0, readSync(pipe, bytes));
  } catch {
    return '';
  }
}
