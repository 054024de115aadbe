import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { queryAt } from '../support/database.ts';
import { EmbeddedProgram } from '../support/embedded-child.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { makeDataFolder } from '../../tools/testkit/data-folder.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

describe('the embedded PostgreSQL and the processes around it', () => {
  let program: EmbeddedProgram;
  let dataDir: string;

  beforeAll(() => {
    program = new EmbeddedProgram();
  });

  afterAll(async () => {
    await program.remove();
  });

  beforeEach(() => {
    dataDir = makeDataFolder();
  });

  afterEach(() => {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });

  function postmasterPid(): number {
    return Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
  }

  describe('on a database that an earlier start has made', () => {
    let made: string;

    beforeAll(async () => {
      made = makeDataFolder();
      const first = program.run(made);
      expect(await first.outcome()).toMatch(/^postgres:/);
      expect(await first.stop()).toBe(0);
    });

    afterAll(() => {
      rmSync(made, { recursive: true, force: true });
    });

    // A copy costs a tenth of what initdb does.
    beforeEach(() => {
      cpSync(made, dataDir, { recursive: true });
      // The server's user owns what it made, where that is not the user of the tests.
      for (const name of ['', ...readdirSync(made, { recursive: true, encoding: 'utf8' })]) {
        const { uid, gid } = lstatSync(join(made, name));
        if (isRoot) lchownSync(join(dataDir, name), uid, gid);
      }
    });

    it('starts after a kill -9 with everything that was committed', async () => {
      const killed = program.run(dataDir);
      await queryAt(await killed.outcome(), 'CREATE TABLE kept AS SELECT 42 AS answer');
      await killed.kill9();
      const next = program.run(dataDir);
      expect(await queryAt(await next.outcome(), 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
      expect(await next.stop()).toBe(0);
    });

    it('replaces the server that a killed process left running', async () => {
      chmodSync(dataDir, 0o711);
      const killed = program.run(dataDir, { withoutSetpriv: true });
      const url = await killed.outcome();
      await queryAt(url, 'CREATE TABLE kept AS SELECT 42 AS answer');
      const orphan = postmasterPid();
      await killed.kill9();
      expect(await queryAt(url, 'SELECT answer FROM kept')).toHaveLength(1);
      const next = program.run(dataDir);
      expect(await queryAt(await next.outcome(), 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
      expect(postmasterPid()).not.toBe(orphan);
      expect(next.lines.join('\n')).toContain(`process ${orphan}) that a killed Paybell left`);
      await next.stop();
    });

    it('starts after its own process and the server were both killed', async () => {
      const killed = program.run(dataDir);
      await queryAt(await killed.outcome(), 'CREATE TABLE kept AS SELECT 42 AS answer');
      const server = postmasterPid();
      process.kill(server, 'SIGKILL');
      await killed.kill9();
      const next = program.run(dataDir);
      expect(await queryAt(await next.outcome(), 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
      await next.stop();
    });

    it('refuses a folder that another living process uses, which goes on undisturbed', async () => {
      const owner = program.run(dataDir);
      const url = await owner.outcome();
      const pid = postmasterPid();
      const second = program.run(dataDir);
      expect(await second.outcome()).toContain(`DATA_DIR ${dataDir} is in use by another running Paybell`);
      expect(postmasterPid()).toBe(pid);
      expect(await queryAt(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await owner.stop();
    });

    it('still refuses it after the owner had to start its server again', async () => {
      const owner = program.run(dataDir);
      const url = await owner.outcome();
      const killed = postmasterPid();
      process.kill(killed, 'SIGKILL');
      await waitFor(async () => postmasterPid() !== killed && (await queryAt(url, 'SELECT 1')).length);
      const second = program.run(dataDir);
      expect(await second.outcome()).toContain('is in use by another running Paybell');
      await owner.stop();
    });
  });

  it('lets exactly one of two win that start at the same time on an empty folder', async () => {
    const both = [program.run(dataDir), program.run(dataDir)];
    const outcomes = await Promise.all(both.map((child) => child.outcome()));
    expect(outcomes.filter((text) => text.startsWith('postgres://'))).toHaveLength(1);
    expect(outcomes.filter((text) => text.includes('is in use by another'))).toHaveLength(1);
    await Promise.all(both.map((child) => child.stop()));
  });

  it('is not spoilt by a kill in the middle of the first start', async () => {
    const killed = program.run(dataDir);
    await waitFor(() => readdirSync(dataDir).some((name) => existsSync(join(dataDir, name, 'global'))));
    expect(readdirSync(dataDir)).not.toContain('postgres');
    await killed.kill9();
    const next = program.run(dataDir);
    expect(await next.outcome()).toMatch(/^postgres:/);
    expect(readdirSync(dataDir).filter((name) => name !== 'postgres')).toEqual([]);
    await next.stop();
  });

  it('names the folder that stands in its way', async () => {
    const closed = join(dataDir, 'closed');
    mkdirSync(closed, { mode: isRoot ? 0o700 : 0o500 });
    const why = await program.run(closed, { withoutSetpriv: true }).outcome();
    expect(why).toContain(isRoot ? `cannot pass the folder ${dataDir}` : closed);
    expect(why).toMatch(/DATABASE_URL.*DATA_DIR/);
  });

  it('runs for an ordinary user', async () => {
    if (isRoot) chownSync(dataDir, NOBODY, NOBODY);
    const child = program.run(dataDir, isRoot ? { uid: NOBODY } : {});
    expect(await queryAt(await child.outcome(), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await child.stop()).toBe(0);
  });
});
