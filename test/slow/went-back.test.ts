import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { AppProcess as App } from '../support/app-process.ts';
import { snippet } from '../support/doc-snippet.ts';
import { ClusterRoom, type PostgresCluster } from '../support/postgres-cluster.ts';
import { WentBack } from '../support/went-back-world.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const DRILL = 'docs/running/backups.md';
/** How much the database loses. By hand, `WENT_BACK_SECONDS=600 WENT_BACK_PAYMENTS=1000` shows a restore of ten minutes. */
const LOST_MS = Number(process.env['WENT_BACK_SECONDS'] ?? 10) * 1_000;
const PAYMENTS = Number(process.env['WENT_BACK_PAYMENTS'] ?? 60);
const STEP_EVERY_MS = LOST_MS / PAYMENTS;
const TIMEOUT_MS = 180_000 + 3 * LOST_MS + 300 * PAYMENTS;

let room: ClusterRoom;
let world: WentBack | null = null;

beforeEach(async () => {
  room = await ClusterRoom.open();
});
afterEach(async () => {
  await world?.end();
  world = null;
  await room.close();
});

/** Payments at every stage, some of which move before the point to which the database goes back. */
async function beginOn(server: PostgresCluster): Promise<WentBack> {
  world = await WentBack.begin(room, server, PAYMENTS);
  await world.quote(PAYMENTS);
  await world.live(3_000, 3_000 / PAYMENTS);
  await sleep(1_000);
  return world;
}

/**
 * Adds the rows that the database will lose: steps of its payments, and new payments, which the shop knows and submits again
 * later.
 */
async function lose(lived: WentBack): Promise<string[]> {
  const lost = await lived.quote(5);
  await lived.live(LOST_MS, STEP_EVERY_MS);
  await sleep(500);
  return lost;
}

async function adopt(lived: WentBack, quoteIds: readonly string[]): Promise<void> {
  for (const quoteId of quoteIds) {
    for (let status = 0; status !== 201;) {
      const body = { quoteId };
      ({ status } = await lived.app.fetch('/api/payments', { method: 'POST', body }));
      if (status !== 201) await sleep(500);
    }
  }
}

/** Checks the guarantees after the database went back. */
async function expectNothingWrong(lived: WentBack): Promise<void> {
  if (process.env['WENT_BACK_SECONDS'] !== undefined)
    process.stderr.write(`${JSON.stringify(await lived.figures())}\n`);
  expect(await lived.wrongEnds(lived.quoteIds)).toEqual([]);
  expect(lived.numbersTwice()).toEqual([]);
  expect(lived.consumers.handledTwice()).toEqual([]);
  expect(await lived.gaps()).toEqual([]);
  expect(await lived.skipped(lived.streamed)).toEqual([]);
  expect(await lived.skipped(lived.fed)).toEqual([]);
  expect(lived.refused).toEqual([]);
}

function logOf(lived: WentBack): string {
  return lived.apps.flatMap(({ lines }) => lines).join('\n');
}

describe('a database that went back', () => {
  it(
    'by a restore as docs/running/backups.md has it gives no number twice, and every payment ends right',
    async () => {
      const lived = await beginOn(await room.create());
      const { server } = lived;
      const backup = await server.backUp(false);
      await sleep(1_000);
      const [point] = await server.query<{ now: string }>('SELECT now()::text');
      const lost = await lose(lived);
      await Promise.all(lived.apps.map((app) => app.kill9()));
      await server.query('SELECT pg_switch_wal()');
      await server.stop();
      await room.shell(await snippet(DRILL, 'restore to a point in time', 'sh'), {
        BACKUP: backup.folder,
        WAL_ARCHIVE: room.archive,
        POINT: point?.now ?? '',
        PORT: String(backup.port),
      });
      lived.server = backup;
      await lived.startApps(2);
      expect(logOf(lived)).toContain('the database went back');
      const { url, apiKey } = lived.app;
      for (const quoteId of lost) {
        const orderId = `A-${lived.quoteIds.indexOf(quoteId)}`;
        const env = { PAYBELL_URL: url, PAYBELL_API_KEY: apiKey, QUOTE_ID: quoteId, ORDER_ID: orderId };
        const command = await snippet(DRILL, 'hand over a lost payment', 'sh');
        await waitFor(() => room.shell(command, env), { everyMs: 500 });
      }
      await lived.settle();
      await expectNothingWrong(lived);
      expect(await lived.epoch()).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  it(
    'by a dump on another server under running replicas loses nothing that is known',
    async () => {
      const lived = await beginOn(await room.create());
      const { server } = lived;
      const dump = join(room.folder, 'dump');
      await room.program('pg_dump', '-Fc', '-f', dump, server.urlOf('paybell'));
      const lost = await lose(lived);
      const other = await room.create();
      await other.query('CREATE DATABASE paybell');
      await room.program('pg_restore', '-d', other.urlOf('paybell'), dump);
      await other.stop();
      await server.kill9();
      other.port = server.port;
      lived.server = other;
      await other.start();
      await adopt(lived, lost);
      await lived.settle();
      await expectNothingWrong(lived);
      expect(await lived.epoch()).toBeGreaterThan(0);
      rmSync(dump);
    },
    TIMEOUT_MS,
  );

  it(
    'by a failover to a standby that lagged behind loses nothing that is known',
    async () => {
      const lived = await beginOn(await room.create());
      const { server } = lived;
      const standby = await server.backUp(true);
      await standby.start();
      await sleep(1_000);
      // The standby gets nothing more.
      await standby.query(`ALTER SYSTEM SET primary_conninfo = ''`);
      await standby.query('SELECT pg_reload_conf()');
      await sleep(1_000);
      const lost = await lose(lived);
      await failOver(lived, standby);
      await adopt(lived, lost);
      await lived.settle();
      await expectNothingWrong(lived);
      expect(await lived.epoch()).toBeGreaterThan(0);
      expect(logOf(lived).split('the database went back: ').length - 1).toBe(1);
    },
    TIMEOUT_MS,
  );
});

describe('a failover that loses nothing', () => {
  it.each([
    ['changes nothing for consumers: no epoch begins, and no number jumps', false],
    ['changes nothing though a replica was killed with the primary', true],
  ])(
    '%s',
    async (_what, isKilled) => {
      const lived = await beginOn(await room.create());
      const { server } = lived;
      const standby = await server.backUp(true);
      await standby.start();
      await server.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
      await server.query('SELECT pg_reload_conf()');
      await lived.live(3_000, STEP_EVERY_MS);
      const laggards = `SELECT 1 FROM replica WHERE NOT is_replicated`;
      await waitFor(async () => (await server.query(laggards, 'paybell')).length === 0, {
        what: 'a beat of each replica since then',
      });
      await standby.query(`ALTER SYSTEM RESET primary_conninfo`);
      if (isKilled) await lived.apps.pop()?.kill9();
      await failOver(lived, standby);
      if (isKilled) lived.apps.push(await App.start(lived.env));
      await lived.settle();
      await expectNothingWrong(lived);
      expect(await lived.epoch()).toBe(0);
      expect(logOf(lived)).toContain('nothing was lost');
      const stored = await lived.stored();
      expect(stored.filter(({ previous }) => previous !== null)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

/** The primary dies; the standby is promoted and takes its address. */
async function failOver(lived: WentBack, standby: PostgresCluster): Promise<void> {
  const { server } = lived;
  await server.kill9();
  await standby.query('SELECT pg_promote()');
  await standby.stop();
  standby.port = server.port;
  lived.server = standby;
  await standby.start();
}
