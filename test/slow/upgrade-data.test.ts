import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { findBinaries } from '../../src/platform/embedded-postgres/binaries.ts';
import { EmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts';
import type { InstalledPrograms } from '../../src/platform/embedded-postgres/installed-programs.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { AppProcess, removeDataDir } from '../support/app-process.ts';
import { queryAt } from '../support/database.ts';
import { describeWith } from '../support/describe-with.ts';
import { findOlder, makeOldCluster } from '../support/old-cluster.ts';
import { arrivalsAt, type PublishedEvent } from '../support/published-events.ts';
import { jsonOf } from '../support/stage.ts';
import { quoteRequest } from '../../tools/testkit/provider-objects.ts';

const CLI = fileURLToPath(new URL('../../dist/cli/paybell.js', import.meta.url));
const QUIET = { log: () => undefined, warn: () => undefined, error: () => undefined };
const NEW = findBinaries().major ?? '';
const PAYMENTS = 30;
/** A story ends within some 4 s. */
const SETTINGS = {
  ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  PROVIDER: 'sandbox',
  SANDBOX_SPEED: '10',
  POLL_INTERVAL_MS: '500',
  POLL_MIN_GAP_MS: '300',
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
  WEBHOOK_ALLOW_HTTP: 'true',
};

const older = await findOlder(Number(NEW));
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-upgrade-data-'));
const dataDir = join(folder, 'data');
const data = join(dataDir, 'postgres');
const kept = join(dataDir, `postgres-${older?.major}`);
const staging = join(dataDir, `postgres.upgrade-to-${NEW}`);

interface Ended {
  readonly code: number | NodeJS.Signals | null;
  readonly printed: string;
}

/** A folder with the old programs, of which some are shell scripts. */
function programsWith(scripts: Readonly<Record<string, string>>): string {
  const bin = mkdtempSync(join(folder, 'bin-'));
  chmodSync(bin, 0o755);
  for (const name of ['postgres', 'pg_dump', 'psql']) {
    const script = scripts[name];
    if (script !== undefined) writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    else symlinkSync(join(dirname(older?.postgres ?? ''), name), join(bin, name));
  }
  return bin;
}

/** Starts `paybell upgrade-data`; `end` resolves with what it did, once all that it started has ended. */
function upgrade(...words: readonly string[]): {
  kill: () => void;
  ended: Promise<Ended['code']>;
  end: Promise<Ended>;
} {
  const env = { PATH: process.env['PATH'], DATA_DIR: dataDir };
  const child = spawn(process.execPath, [CLI, 'upgrade-data', ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<Ended['code']>((resolve) =>
    child.once('exit', (code, signal) => resolve(code ?? signal)),
  );
  const end = Promise.all([ended, text(child.stdout), text(child.stderr)]).then(([code, out, error]) => ({
    code,
    printed: out + error,
  }));
  return { kill: () => void child.kill('SIGKILL'), ended, end };
}

async function refusalOfStart(): Promise<string> {
  const app = await AppProcess.start({ ...SETTINGS, DATA_DIR: dataDir });
  await app.whenEnded();
  return app.lines.join('\n');
}

const majorOf = (dir: string): string => readFileSync(join(dir, 'PG_VERSION'), 'utf8').trim();

async function eventsOf(app: AppProcess): Promise<PublishedEvent[]> {
  return (await jsonOf(await app.fetch('/api/events?limit=500'), 200))['data'] as PublishedEvent[];
}

async function statusesOf(app: AppProcess): Promise<Map<string, string>> {
  const answer = await jsonOf(await app.fetch('/api/payments?limit=100'), 200);
  const payments = answer['data'] as { quoteId: string; status: string }[];
  return new Map(payments.map(({ quoteId, status }) => [quoteId, status]));
}

describeWith('postgresql', 'data of an older PostgreSQL', () => {
  const programs = older as InstalledPrograms;
  let shop: HttpReceiver;
  let events: PublishedEvent[];

  const onOld = (): EmbeddedPostgres => new EmbeddedPostgres({ dataDir, log: QUIET, binaries: programs });

  /** The old server runs on the old data, which is in `from`, and has all events. */
  async function expectOldDataIn(from: string): Promise<void> {
    const postgres = new EmbeddedPostgres({ dataDir: from, log: QUIET, binaries: programs });
    const bodies = await queryAt<{ body: string }>(await postgres.start(), EVENTS);
    await postgres.stop();
    expect(bodies.map(({ body }) => JSON.parse(body) as PublishedEvent)).toEqual(events);
  }

  async function expectAsItWas(): Promise<void> {
    expect([majorOf(data), existsSync(kept)]).toEqual([programs.major, false]);
    await expectOldDataIn(dataDir);
  }

  beforeAll(async () => {
    shop = await HttpReceiver.start();
    chmodSync(folder, 0o755);
    mkdirSync(dataDir);
    await makeOldCluster(dataDir, programs);
    const postgres = onOld();
    const app = await AppProcess.startReady({ ...SETTINGS, DATABASE_URL: await postgres.start() });
    const body = { url: `${shop.url}/paybell` };
    await jsonOf(await app.fetch('/api/webhook-endpoints', { method: 'POST', body }), 201);
    const quoting = Array.from({ length: PAYMENTS }, () =>
      app.fetch('/api/quote', { method: 'POST', body: quoteRequest({ amount: '1.00' }) }),
    );
    for (const answer of await Promise.all(quoting)) await jsonOf(answer, 200);
    await waitFor(async () => [...(await statusesOf(app)).values()].includes('EXECUTING'), {
      timeoutMs: 20_000,
    });
    // In the middle of their stories.
    await app.stop();
    events = (await queryAt<{ body: string }>(await postgres.start(), EVENTS)).map(
      ({ body }) => JSON.parse(body) as PublishedEvent,
    );
    await postgres.stop();
  }, 120_000);

  afterAll(async () => {
    await shop.close();
    removeDataDir(dataDir);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  it('is refused at a start with both versions and the way, and not touched', async () => {
    const line = await refusalOfStart();
    expect(line).toContain(`is of PostgreSQL ${programs.major}, and this Paybell brings PostgreSQL ${NEW}`);
    expect(line).toContain('Run `paybell upgrade-data`');
    expect(majorOf(data)).toBe(programs.major);
  });

  it('is refused by upgrade-data without the old programs with the procedure, and while a Paybell runs on it', async () => {
    const without = await upgrade('--from-bin', folder).end;
    expect(without).toMatchObject({ code: 1 });
    expect(without.printed).toContain(`apt-get install postgresql-${programs.major}`);
    expect(without.printed).toContain('pg_dump -Fc');
    const owner = onOld();
    await owner.start();
    const during = await upgrade().end;
    await owner.stop();
    expect(during).toMatchObject({ code: 1 });
    expect(during.printed).toMatch(/^DATA_DIR .* is in use by another running Paybell/);
    expect(await upgrade('--from').end).toMatchObject({ code: 2 });
    expect(majorOf(data)).toBe(programs.major);
    expect(existsSync(kept)).toBe(false);
  }, 60_000);

  it.each([
    ['while it makes the new folder', {}, () => existsSync(staging)],
    [
      'while it dumps',
      { pg_dump: `touch ${folder}/dumping; exec cat` },
      () => existsSync(join(folder, 'dumping')),
    ],
    [
      'when all is copied',
      { psql: `${older?.psql} "$@" && touch ${folder}/copied; sleep 10` },
      () => existsSync(join(folder, 'copied')),
    ],
  ])(
    'is as it was after a kill -9 of upgrade-data %s',
    async (_when, scripts, isThen) => {
      const run = upgrade('--from-bin', programsWith(scripts));
      await waitFor(isThen, { timeoutMs: 60_000 });
      run.kill();
      expect(await run.ended).toBe('SIGKILL');
      await expectAsItWas();
    },
    120_000,
  );

  it('is as it was after a dump that failed in the middle', async () => {
    const half = programsWith({ pg_dump: `${older?.pgDump} "$@" | head -c 20000; echo no more >&2; exit 1` });
    const failed = await upgrade('--from-bin', half).end;
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.printed).toMatch(
      /pg_dump ended with 1: .*no more. Nothing was changed: the old data is as it was/s,
    );
    await expectAsItWas();
  }, 120_000);

  it('is carried over by the next run, which keeps the old data, and another one has nothing to do', async () => {
    const done = await upgrade().end;
    expect(done).toMatchObject({ code: 0 });
    expect(done.printed).toContain(`${PAYMENTS} payments and ${events.length} events are in the new data`);
    expect(done.printed).toContain(`That of PostgreSQL ${programs.major} is in ${kept}: delete it`);
    expect([majorOf(data), majorOf(kept), existsSync(staging)]).toEqual([NEW, programs.major, false]);
    const back = join(folder, 'back');
    mkdirSync(back, { mode: 0o711 });
    renameSync(kept, join(back, 'postgres'));
    await expectOldDataIn(back);
    renameSync(join(back, 'postgres'), kept);
    const again = await upgrade().end;
    expect(again).toMatchObject({ code: 0 });
    expect(again.printed).toContain('already: nothing is to be done');
  }, 120_000);

  it('starts no empty database when a run was killed between its two renames, and the next run finishes it', async () => {
    mkdirSync(staging);
    renameSync(data, join(staging, 'postgres'));
    writeFileSync(join(staging, 'complete'), String(programs.major));
    expect(await refusalOfStart()).toContain('Run `paybell upgrade-data` again, which finishes it.');
    expect(existsSync(data)).toBe(false);
    const done = await upgrade().end;
    expect(done).toMatchObject({ code: 0 });
    expect([majorOf(data), majorOf(kept), existsSync(staging)]).toEqual([NEW, programs.major, false]);
  }, 60_000);

  it('has every payment and event in the new version, where all goes on without a gap, a repetition or a new epoch', async () => {
    const app = await AppProcess.startReady({ ...SETTINGS, DATA_DIR: dataDir });
    expect((await eventsOf(app)).slice(0, events.length)).toEqual(events);
    const isOver = async (): Promise<boolean> =>
      [...(await statusesOf(app)).values()].every((each) => each === 'COMPLETED');
    await waitFor(isOver, { timeoutMs: 40_000, everyMs: 200 });
    const all = await eventsOf(app);
    const quoteIds = [...(await statusesOf(app)).keys()];
    expect(quoteIds).toHaveLength(PAYMENTS);
    for (const quoteId of quoteIds) {
      const own = all.filter(({ subject }) => subject === quoteId);
      expect(own.map(({ data: { sequence } }) => sequence)).toEqual(own.map((_, index) => index + 1));
      expect(own.at(-1)?.type).toBe('payment.completed');
    }
    expect(JSON.stringify(all)).not.toContain('previousSequence');
    expect(app.lines.join('\n')).not.toContain('the database went back');
    // The endpoint and its secret came along, and each event arrived once.
    await waitFor(() => shop.requests.length >= all.length, { timeoutMs: 20_000 });
    expect(
      arrivalsAt(shop)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(all.map(({ id }) => id).sort());
    expect(await app.stop()).toBe(0);
  }, 120_000);
});

const EVENTS = `SELECT body FROM event ORDER BY log_rank, position`;
