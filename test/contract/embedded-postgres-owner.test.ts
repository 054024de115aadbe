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
      await first.served();
      expect(await first.stop()).toBe(0);
    });

    afterAll(() => {
      rmSync(made, { recursive: true, force: true });
    });

    // A copy costs a tenth of what initdb does.
    beforeEach(() => {
      cpSync(made, dataDir, { recursive: true });
      // The server's user owns the files that it made, where it is not the user of the tests.
      for (const name of ['', ...readdirSync(made, { recursive: true, encoding: 'utf8' })]) {
        const { uid, gid } = lstatSync(join(made, name));
        if (isRoot) lchownSync(join(dataDir, name), uid, gid);
      }
    });

    it('replaces the server that a killed process left running', async () => {
      chmodSync(dataDir, 0o711);
      const killed = program.run(dataDir, { withoutSetpriv: true });
      const url = await killed.served();
      await queryAt(url, 'CREATE TABLE kept AS SELECT 42 AS answer');
      const orphan = postmasterPid();
      await killed.kill9();
      expect(await queryAt(url, 'SELECT answer FROM kept')).toHaveLength(1);
      const next = program.run(dataDir);
      expect(await queryAt(await next.served(), 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
      expect(postmasterPid()).not.toBe(orphan);
      expect(next.lines.join('\n')).toContain(`process ${orphan}) that a killed Paybell left`);
      await next.stop();
    });

    it('starts after its own process and the server were both killed', async () => {
      const killed = program.run(dataDir);
      await queryAt(await killed.served(), 'CREATE TABLE kept AS SELECT 42 AS answer');
      const server = postmasterPid();
      process.kill(server, 'SIGKILL');
      await killed.kill9();
      const next = program.run(dataDir);
      expect(await queryAt(await next.served(), 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
      await next.stop();
    });

    it('refuses a folder that another living process uses, also after the owner had to start its server again', async () => {
      const owner = program.run(dataDir);
      const url = await owner.served();
      for (const isKilled of [false, true]) {
        const pid = postmasterPid();
        if (isKilled) process.kill(pid, 'SIGKILL');
        await waitFor(
          async () => (postmasterPid() !== pid) === isKilled && (await queryAt(url, 'SELECT 1')).length,
        );
        const present = postmasterPid();
        const refusal = await program.run(dataDir).outcome();
        expect(refusal).toContain(`DATA_DIR ${dataDir} is in use by another running Paybell`);
        expect(postmasterPid()).toBe(present);
        expect(await queryAt(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      }
      expect(await owner.stop()).toBe(0);
    });
  });

  it('lets exactly one of two win that start at the same time, where a first start was killed in the middle', async () => {
    const user = isRoot ? { uid: NOBODY } : {};
    if (isRoot) chownSync(dataDir, NOBODY, NOBODY);
    const killed = program.run(dataDir, user);
    await waitFor(() => readdirSync(dataDir).some((name) => existsSync(join(dataDir, name, 'global'))));
    expect(readdirSync(dataDir)).not.toContain('postgres');
    await killed.kill9();
    const both = [program.run(dataDir, user), program.run(dataDir, user)];
    const outcomes = await Promise.all(both.map((child) => child.outcome()));
    const url = outcomes.find((text) => text.startsWith('postgres://')) ?? '';
    expect(await queryAt(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(outcomes.filter((text) => text.includes('is in use by another'))).toHaveLength(1);
    await Promise.all(both.map((child) => child.stop()));
    expect(readdirSync(dataDir).filter((name) => name !== 'postgres')).toEqual([]);
  });

  it('names the folder that stands in its way', async () => {
    const closed = join(dataDir, 'closed');
    mkdirSync(closed, { mode: isRoot ? 0o700 : 0o500 });
    const why = await program.run(closed, { withoutSetpriv: true }).outcome();
    expect(why).toContain(isRoot ? `cannot pass the folder ${dataDir}` : closed);
    expect(why).toMatch(/DATABASE_URL.*DATA_DIR/);
  });
});
