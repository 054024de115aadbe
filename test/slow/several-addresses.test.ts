import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';

import { dataSourceOptions } from '../../src/database/connection/data-source-options.ts';
import { Database } from '../../src/database/connection/database.ts';
import { describeWithPrivateBroker, startPrivateBroker } from '../support/broker.ts';
import { describeWith } from '../support/describe-with.ts';
import { PgBouncer } from '../support/pgbouncer.ts';
import { arrivalsAt, firstArrivals, storyOf, waitForStories } from '../support/published-events.ts';
import { Stage } from '../support/stage.ts';
import { Subscriber } from '../support/subscriber.ts';
import { PrivatePostgres } from '../../tools/testkit/private-postgres.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const NEXT_EVENT_WITHIN_MS = 5_000;
const SLOW_MS = 180_000;

const steps: (() => void | Promise<void>)[] = [];
afterAll(async () => {
  for (const step of steps.reverse()) await step();
});

describe('DATABASE_URL with a primary and its standby', () => {
  it(
    'finds the one that takes writes, and after a kill -9 of it the promoted one: the next event comes within 5 s',
    async () => {
      const folder = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-addresses-'));
      steps.push(() => rmSync(folder, { recursive: true, force: true }));
      const primary = await PrivatePostgres.create(folder);
      steps.push(() => primary.destroy());
      const standby = await PrivatePostgres.standbyOf(primary, folder);
      steps.push(() => standby.destroy());
      await primary.set('synchronous_standby_names', '*');
      const hosts = `127.0.0.1:${standby.port},127.0.0.1:${primary.port}`;
      const stage = await Stage.open();
      const app = await stage.start({
        DATABASE_URL: `postgres://paybell@${hosts}/postgres?target_session_attrs=read-write`,
      });
      await stage.addShop(app);
      const quoteIds = await stage.quotes(app, 5);
      stage.say(quoteIds, 'DEPOSIT_RECEIVED');
      await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 2);
      await primary.kill9();
      const killedAt = performance.now();
      stage.say(quoteIds, 'COMPLETED');
      await standby.promote();
      await waitFor(() => arrivalsAt(stage.shop).some(({ data }) => data.status === 'COMPLETED'), {
        everyMs: 20,
      });
      const nextAfterMs = performance.now() - killedAt;
      process.stdout.write(`next event ${Math.round(nextAfterMs)} ms after the kill of the database\n`);
      expect(nextAfterMs).toBeLessThan(NEXT_EVENT_WITHIN_MS);
      await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 3);
      const types = ['payment.created', 'payment.deposit_received', 'payment.completed'];
      expect(firstArrivals(arrivalsAt(stage.shop))).toEqual(storyOf(quoteIds, types));
      await app.waitReady();
      await stage.quote(app);
      expect(app.lines.join('\n')).not.toMatch(
        new RegExp(`127\\.0\\.0\\.1:(?:${primary.port}|${standby.port})`),
      );
      expect(await app.stop()).toBe(0);
    },
    SLOW_MS,
  );
});

describeWith('pgbouncer', 'a pooler that leads to a standby', () => {
  it(
    'is a read-only server to each statement and transaction',
    async () => {
      const folder = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-standby-'));
      steps.push(() => rmSync(folder, { recursive: true, force: true }));
      const primary = await PrivatePostgres.create(folder);
      steps.push(() => primary.destroy());
      const standby = await PrivatePostgres.standbyOf(primary, folder);
      steps.push(() => standby.destroy());
      // PgBouncer demands a password, although the server does not.
      const url = `postgres://paybell:any@127.0.0.1:${standby.port}/postgres`;
      const bouncer = await PgBouncer.start(url, 'transaction', 2);
      steps.push(() => bouncer.stop());
      const source = await new DataSource(dataSourceOptions(bouncer.urlOf(url), 1)).initialize();
      const database = new Database(source);
      database.open();
      const refused = { message: 'The database is not available: 25006 read-only server.' };
      await expect(database.query('SELECT 1')).rejects.toMatchObject(refused);
      await expect(database.transaction((queries) => queries.query('SELECT 1'))).rejects.toMatchObject(
        refused,
      );
      await source.destroy();
    },
    SLOW_MS,
  );
});

describeWithPrivateBroker('RABBITMQ_URL with two nodes of a cluster', () => {
  it(
    'goes on at the other node after a kill -9 of the connected one: the next message comes within 5 s',
    async () => {
      const one = await startPrivateBroker();
      const other = await one.startPeer();
      steps.push(() => other.destroy());
      const stage = await Stage.open();
      const subscriber = await Subscriber.open(other.url, stage.exchange);
      const app = await stage.start({ RABBITMQ_URL: `${one.url},${other.url}` });
      const quoteIds = await stage.quotes(app, 3);
      await waitForStories(() => subscriber.events, quoteIds, 1);
      await one.kill9();
      const killedAt = performance.now();
      stage.say(quoteIds, 'COMPLETED');
      await waitFor(() => subscriber.events.some(({ data }) => data.status === 'COMPLETED'), {
        everyMs: 20,
      });
      const nextAfterMs = performance.now() - killedAt;
      process.stdout.write(`next message ${Math.round(nextAfterMs)} ms after the kill of the node\n`);
      expect(nextAfterMs).toBeLessThan(NEXT_EVENT_WITHIN_MS);
      await waitForStories(() => subscriber.events, quoteIds, 2);
      const types = ['payment.created', 'payment.completed'];
      expect(firstArrivals(subscriber.events)).toEqual(storyOf(quoteIds, types));
      expect(app.lines.join('\n')).not.toContain('guest:guest');
      expect(await app.stop()).toBe(0);
    },
    SLOW_MS,
  );
});
