import { randomBytes } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';

import { waitFor } from '../../tools/testkit/wait-for.ts';
import { asking, runCli } from '../support/cli.ts';
import { onServer } from '../support/database.ts';
import type { SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';

type Json = Record<string, unknown>;

const PATIENCE = { everyMs: 250 };

let stage: Stage;
let app: SharedService;
let role: string;
let url: URL;

/** The owner of the database is no superuser: limits of connections hold for it. */
beforeAll(async () => {
  stage = await Stage.open({ isEmpty: true });
  role = `owner_${randomBytes(5).toString('hex')}`;
  await onServer(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
  await onServer(`ALTER DATABASE ${stage.database.name} OWNER TO ${role}`);
  url = new URL(stage.database.directUrl);
  [url.username, url.password] = [role, role];
  app = await stage.startWarm({ DATABASE_URL: url.href });
});
/** The stage has dropped all that the role owns. */
afterAll(() => onServer(`DROP ROLE ${role}`));

async function check(name: string): Promise<Json> {
  const answer = await fetch(`${app.url}/health/ready`);
  return ((await answer.json()) as { checks: Record<string, Json> }).checks[name] ?? {};
}

async function attention(): Promise<Json[]> {
  const answer = await app.fetch('/api/attention');
  return answer.status === 200 ? ((await jsonOf(answer, 200))['items'] as Json[]) : [];
}

const endConnections = (): Promise<unknown> =>
  onServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`);

describe('a trouble of the database', () => {
  it('that a transaction keeps new events out of the log is named, with who and since when', async () => {
    const stranger = new pg.Client({ connectionString: url.href, application_name: 'nightly job' });
    await stranger.connect();
    await stranger.query('CREATE TABLE work (n int)');
    await stranger.query('BEGIN');
    await stranger.query('INSERT INTO work VALUES (1)');
    await stage.quote(app);
    await stage.database.query(`UPDATE event_entry SET time = now() - interval '1 hour'`);
    const words =
      /[Pp]rocess \d+ \(nightly job\) has a transaction open since \d{4}-\S+Z, which keeps events of/;
    await waitFor(async () => words.test(String((await check('log'))['detail'])), PATIENCE);
    await waitFor(async () => (await attention()).some(({ code }) => code === 'log_held'), PATIENCE);
    const item = (await attention()).find(({ code }) => code === 'log_held');
    expect(item?.['detail']).toMatch(/^Process \d+ \(nightly job\) has a transaction open since /);
    const doctor = await runCli(['doctor'], asking(app));
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(words);
    expect(JSON.stringify([await check('log'), item])).not.toContain(role);
    await stranger.query('COMMIT');
    await stranger.end();
    await waitFor(async () => (await check('log'))['status'] === 'ok', PATIENCE);
  });

  it('that it allows too few connections is named, and all else is still answered', async () => {
    expect((await attention()).map(({ code }) => code)).not.toContain('database_failing');
    expect(await app.stop()).toBe(0);
    await onServer(`ALTER ROLE ${role} CONNECTION LIMIT 3`);
    app = await stage.startWarm({ DATABASE_URL: url.href });
    const paths = ['payments?limit=100', 'providers', 'destinations', 'attention'];
    const asked = async (): Promise<number[]> => {
      const answers = paths.flatMap((path) => Array.from({ length: 6 }, () => app.fetch(`/api/${path}`)));
      const statuses = await Promise.all(answers.map(async (each) => (await each).status));
      return [...new Set(statuses)];
    };
    await waitFor(async () => {
      expect(await asked()).toEqual([200]);
      return (await check('database'))['detail'] === '53300 too many connections';
    }, PATIENCE);
    const ready = await fetch(`${app.url}/health/ready`);
    expect(await jsonOf(ready, 200)).toMatchObject({ status: 'degraded' });
    const [first] = await attention();
    expect(first).toMatchObject({
      code: 'database_failing',
      severity: 'bad',
      detail: 'The database is in trouble: 53300 too many connections.',
    });
    const doctor = await runCli(['doctor'], asking(app));
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining('53300 too many connections')]);
    expect(await app.stop()).toBe(0);
    await onServer(`ALTER ROLE ${role} CONNECTION LIMIT -1`);
  });

  it.each([
    ['allows no connection', () => `ALTER ROLE ${role} CONNECTION LIMIT 0`, '53300 too many connections'],
    ['refuses the password', () => `ALTER ROLE ${role} NOLOGIN`, '28000 login refused'],
  ])(
    'that it %s is the answer of a process that has read nothing yet, and the cause in its errors',
    async (_how, change, words) => {
      app = await stage.startWarm({ DATABASE_URL: url.href });
      await onServer(change());
      await endConnections();
      await waitFor(async () => (await check('database'))['status'] === 'unavailable', PATIENCE);
      // The error of the former connections may come first, and is another one.
      const first = await waitFor(async () => {
        const [item] = await attention();
        return item?.['detail'] === `The database is in trouble: ${words}.` ? item : null;
      }, PATIENCE);
      expect(first).toMatchObject({ code: 'database_failing' });
      const refused = await jsonOf(await app.fetch('/api/providers'), 503);
      expect(refused).toMatchObject({
        code: 'database_unavailable',
        detail: `The database is not available: ${words}. Try again later.`,
      });
      expect(JSON.stringify([first, refused])).not.toContain(role);
      expect(await app.stop()).toBe(0);
      await onServer(`ALTER ROLE ${role} LOGIN CONNECTION LIMIT -1`);
    },
  );

  it('that it cannot be reached is named while what was read before stands', async () => {
    app = await stage.startWarm({ DATABASE_URL: url.href });
    expect((await attention()).map(({ code }) => code)).not.toContain('database_failing');
    await onServer(`ALTER DATABASE ${stage.database.name} CONNECTION LIMIT 0`);
    await endConnections();
    await waitFor(async () => (await attention())[0]?.['code'] === 'database_failing', PATIENCE);
    const answer = await app.fetch('/api/attention');
    expect(await jsonOf(answer, 200)).toMatchObject({
      checkedAt: expect.any(String),
      inFlight: { count: 0 },
    });
    await onServer(`ALTER DATABASE ${stage.database.name} CONNECTION LIMIT -1`);
    await waitFor(async () => (await check('database'))['status'] !== 'unavailable', {
      ...PATIENCE,
      timeoutMs: 40_000,
    });
  });
});
