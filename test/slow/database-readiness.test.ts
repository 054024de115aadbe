import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from '@jest/globals';

import { AppProcess } from '../support/app-process.ts';
import { describeWith } from '../support/describe-with.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { quoteRequest } from '../../tools/testkit/provider-objects.ts';
import { PrivatePostgres } from '../../tools/testkit/private-postgres.ts';
import { SmallDisk } from '../../tools/testkit/small-disk.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const DISK_MEGABYTES = 160;
const NOTICED_WITHIN_MS = 20_000;

const steps: (() => void | Promise<void>)[] = [];
afterAll(async () => {
  for (const step of steps.reverse()) await step();
});

interface DatabaseCheck {
  readonly status: string;
  readonly failed?: string;
  readonly detail?: string;
}

async function databaseCheck(app: AppProcess): Promise<{ status: number; database: DatabaseCheck }> {
  const answer = await fetch(`${app.url}/health/ready`);
  const { checks } = (await answer.json()) as { checks: { database: DatabaseCheck } };
  return { status: answer.status, database: checks.database };
}

async function untilNotReady(app: AppProcess): Promise<DatabaseCheck> {
  const found = await waitFor(
    async () => {
      const { status, database } = await databaseCheck(app);
      return status === 503 ? database : undefined;
    },
    { timeoutMs: NOTICED_WITHIN_MS, what: 'a 503 of /health/ready' },
  );
  return found;
}

function linesWith(app: AppProcess, text: string): number {
  return app.lines.filter((line) => line.includes(text)).length;
}

describeWith('root', 'a full disk below the embedded database', () => {
  it('is found without a request, named once with its SQLSTATE, asks the provider for nothing, and ends by itself', async () => {
    const dataDir = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-full-'));
    const disk = SmallDisk.make(dataDir, DISK_MEGABYTES);
    steps.push(() => disk.remove());
    const stage = await Stage.open();
    const { DATABASE_URL: _unused, ...env } = stage.env();
    const app = await AppProcess.startReady({ ...env, DATA_DIR: dataDir });
    steps.push(() => app.remove());
    disk.fill();
    const check = await untilNotReady(app);
    expect(check).toEqual({ status: 'unavailable', failed: 'write', detail: '53100 disk full' });
    const made = stage.provider.calls.count('/api/quote');
    const quote = await app.fetch('/api/quote', { method: 'POST', body: quoteRequest() });
    await jsonOf(quote, 503);
    expect(stage.provider.calls.count('/api/quote')).toBe(made);
    await new Promise((resolve) => setTimeout(resolve, 7_000));
    expect(linesWith(app, 'trying again: 53100 disk full')).toBe(1);
    expect(linesWith(app, 'PostgreSQL: 53100 ERROR')).toBe(1);
    disk.empty();
    await app.waitReady();
    await stage.quote(app);
    expect(await app.stop()).toBe(0);
  });
});

describe('a synchronous standby that is away', () => {
  it('makes the process not ready within 10 s, and ready again once commits end', async () => {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-standby-'));
    steps.push(() => rmSync(folder, { recursive: true, force: true }));
    const postgres = await PrivatePostgres.create(folder);
    steps.push(() => postgres.destroy());
    const stage = await Stage.open();
    const app = await AppProcess.startReady(stage.env({ DATABASE_URL: postgres.url('postgres') }));
    steps.push(() => app.remove());
    await postgres.set('synchronous_standby_names', '*');
    const check = await untilNotReady(app);
    expect(check).toMatchObject({ status: 'unavailable', failed: 'write' });
    expect(check.detail).toBe(
      'a small write does not commit within 2 s: a synchronous standby does not answer',
    );
    await new Promise((resolve) => setTimeout(resolve, 7_000));
    expect(linesWith(app, 'a synchronous standby does not answer')).toBe(1);
    await postgres.set('synchronous_standby_names', '');
    await app.waitReady();
    expect(await app.stop()).toBe(0);
  });
});
