import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';

import {
  dataSourceOptions,
  MigrationOptions,
  migrationOptions,
} from '../../src/database/connection/data-source-options.ts';
import { Database } from '../../src/database/connection/database.ts';
import { DatabaseGate } from '../../src/database/gate/database-gate.ts';
import { HistoryWatch } from '../../src/database/history/history-watch.ts';
import { RecordSettings } from '../../src/database/events/record-settings.ts';
import { DestinationKinds } from '../../src/ports/destinations.ts';
import type { DatabaseHealth } from '../../src/ports/readiness.ts';
import { ThisReplica } from '../../src/ports/replicas.ts';
import { createTestDatabase } from '../support/database.ts';
import { FakeDatabaseHealth } from '../support/fakes/database-health.fake.ts';
import { URGENCY_RULES } from '../support/stores.ts';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

interface World {
  readonly health: DatabaseHealth;
  open(): void;
  goAway(): void;
  comeBack(): void;
  close(): Promise<void>;
}

async function openMemory(): Promise<World> {
  const health = new FakeDatabaseHealth();
  return {
    health,
    open: () => undefined,
    goAway: () => void (health.isUp = false),
    comeBack: () => void (health.isUp = true),
    close: async () => undefined,
  };
}

function gateOn(source: DataSource, url: string): DatabaseGate {
  const database = new Database(source);
  const history = new HistoryWatch(
    database,
    new RecordSettings(900_000, URGENCY_RULES, 'paybell'),
    new ThisReplica(randomUUID(), [], 'test', {}),
  );
  const migration = new MigrationOptions(migrationOptions(url));
  return new DatabaseGate(source, database, new DestinationKinds([]), history, migration);
}

async function openPostgres(): Promise<World> {
  const database = await createTestDatabase();
  const proxy = await TcpProxy.inFrontOf(database.url, 5432);
  const source = new DataSource(dataSourceOptions(proxy.through(database.url), 2));
  const health = gateOn(source, proxy.through(database.url));
  return {
    health,
    open: () => health.onApplicationBootstrap(),
    goAway: () => proxy.cut(),
    comeBack: () => proxy.heal(),
    close: async () => {
      await health.beforeApplicationShutdown();
      await source.destroy();
      await proxy.close();
      await database.drop();
    },
  };
}

describe.each([
  { name: 'in memory', open: openMemory },
  { name: 'of PostgreSQL', open: openPostgres },
])('the health of the database $name', ({ open }) => {
  let world: World;
  let health: DatabaseHealth;

  beforeAll(async () => {
    for (const level of ['log', 'warn'] as const) jest.spyOn(Logger.prototype, level).mockReturnValue();
    world = await open();
    ({ health } = world);
  });
  afterAll(async () => {
    await world.close();
    jest.restoreAllMocks();
  });

  it('is ready once its tasks are done in turn, each of them once, and repeated while it fails', async () => {
    const runs: string[] = [];
    const task = (name: string, failures: number) => async () => {
      runs.push(`${name} ${(await health.problem())?.check}`);
      if (runs.filter((run) => run.startsWith(name)).length <= failures) throw new Error(`${name} fails`);
    };
    health.beforeReady(task('first', 0));
    health.beforeReady(task('second', 1));
    world.open();
    await health.whenReady();
    expect(runs).toEqual(['first start', 'second start', 'second start']);
    expect(await health.problem()).toBeNull();
    await health.whenReady();
  });

  it('is not ready while the database does not answer, and again once it does', async () => {
    world.goAway();
    expect(await health.problem()).toMatchObject({ check: 'answer' });
    world.comeBack();
    await waitFor(async () => (await health.problem()) === null);
  });
});
