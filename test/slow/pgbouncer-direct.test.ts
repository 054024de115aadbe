import { randomBytes } from 'node:crypto';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { AppProcess } from '../support/app-process.ts';
import { onServer, serverUrl } from '../support/database.ts';
import { describeWith } from '../support/describe-with.ts';
import { PgBouncer } from '../support/pgbouncer.ts';
import { arrivalsAt, waitForStories } from '../support/published-events.ts';
import { Stage } from '../support/stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const CONNECTIONS = 6;
const CLERK = `paybell_clerk_${randomBytes(4).toString('hex')}`;
const PASSWORD = randomBytes(12).toString('hex');
const WITHIN_MS = 120_000;

/** The rights of the pooler's user on everything that the owner of the database creates: only rows. */
const RIGHTS = [
  `GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${CLERK}`,
  `GRANT USAGE, SELECT, UPDATE ON SEQUENCES TO ${CLERK}`,
].map((grant) => `ALTER DEFAULT PRIVILEGES ${grant}`);

describeWith('pgbouncer', 'DATABASE_DIRECT_URL, past a pooler whose user may change rows only', () => {
  let bouncer: PgBouncer;
  let stage: Stage;

  beforeAll(async () => {
    await onServer(`CREATE ROLE ${CLERK} LOGIN PASSWORD '${PASSWORD}'`);
    const url = new URL(serverUrl());
    Object.assign(url, { username: CLERK, password: PASSWORD });
    bouncer = await PgBouncer.start(url.href, 'transaction', CONNECTIONS);
    stage = await Stage.open({ isEmpty: true });
    await stage.database.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
    for (const right of RIGHTS) await stage.database.query(right);
  });
  afterAll(async () => {
    await bouncer.stop();
    await stage.database.query(`DROP OWNED BY ${CLERK}`);
    await onServer(`DROP ROLE ${CLERK}`);
  });

  function pooled(): Record<string, string> {
    return stage.env({ DATABASE_URL: bouncer.urlOf(stage.database.directUrl) });
  }

  it(
    'migrates what nobody may through the pooler, and takes everything else through it',
    async () => {
      const refused = await AppProcess.start(pooled());
      await waitFor(
        () => refused.lines.some((line) => line.includes('the user may make no tables in public')),
        {
          what: 'the pooler to refuse the migration',
        },
      );
      expect((await fetch(`${refused.url}/health/ready`)).status).toBe(503);
      expect(await refused.stop()).toBe(0);

      const app = await AppProcess.startReady({
        ...pooled(),
        DATABASE_DIRECT_URL: stage.database.directUrl,
      });
      await stage.addShop(app);
      const quoteIds = await stage.quotes(app, 3);
      stage.say(quoteIds, 'COMPLETED');
      await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 2);
      await waitFor(async () => (await usersOf(stage.database.name)).join() === CLERK, {
        what: 'no connection past the pooler but for migrations',
      });
      expect(await app.stop()).toBe(0);

      // A current schema needs no right to change it.
      const again = await AppProcess.startReady(pooled());
      expect(await again.stop()).toBe(0);
    },
    WITHIN_MS,
  );
});

/** The users that are connected to the database as Paybell. */
async function usersOf(name: string): Promise<string[]> {
  const rows = await onServer<{ usename: string }>(
    `SELECT DISTINCT usename FROM pg_stat_activity WHERE datname = $1 AND application_name = 'paybell'`,
    [name],
  );
  return rows.map(({ usename }) => usename);
}
