import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { pipeline } from 'node:stream/promises';

import type pg from 'pg';

import { EmbeddedPostgresFailed } from './embedded-failed.ts';
import type { InstalledPrograms } from './installed-programs.ts';
import { connectAs } from './owner-lock.ts';
import { SERVICE_DATABASE } from './service-database.ts';

const KEPT_OUTPUT = 4_000;

interface Client {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<void>;
}

/** A running server: the superuser's URL, and that of the service's role and database. */
export interface RunningServer {
  readonly adminUrl: string;
  readonly url: string;
}

/**
 * Copies the service's database into the empty one of another server, and lets the log of events go on there. Answers how
 * many rows each table has. Throws EmbeddedPostgresFailed when a program fails, or a table has other rows than before.
 */
export async function carryOver(
  { pgDump, psql }: InstalledPrograms,
  from: RunningServer,
  to: RunningServer,
): Promise<ReadonlyMap<string, number>> {
  const dump = start(pgDump, from.adminUrl, []);
  const restore = start(psql, to.adminUrl, [
    '-X',
    '-q',
    '-v',
    'ON_ERROR_STOP=1',
    '--single-transaction',
    '-f',
    '-',
  ]);
  // Which of the two has failed, and why, their ends say.
  const flow = pipeline(dump.child.stdout, restore.child.stdin).catch(() => undefined);
  restore.child.stdout.resume();
  await Promise.all([flow, dump.ended, restore.ended]);
  const [before, after] = [await countRows(from.url), await countRows(to.url)];
  for (const [table, rows] of before)
    if (after.get(table) !== rows)
      throw failed(`${table} has ${after.get(table)} rows after the copy, and had ${rows}`);
  await settleIn(to.url);
  return before;
}

/** Nothing was lost on the way to this server, and its planner knows the tables. */
async function settleIn(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ has: boolean }>(HAS_LOG);
    if (rows[0]?.has === true) await client.query('SELECT continue_log()');
    await client.query('ANALYZE');
  });
}

function countRows(url: string): Promise<Map<string, number>> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string; quoted: string }>(TABLES);
    const counts = new Map<string, number>();
    for (const { name, quoted } of rows) {
      const counted = await client.query<{ rows: string }>(`SELECT count(*) AS rows FROM ${quoted}`);
      counts.set(name, Number(counted.rows[0]?.rows));
    }
    return counts;
  });
}

async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = await connectAs(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Starts a client of the service's database. The password is not among the arguments, which everybody on the machine sees. */
function start(program: string, adminUrl: string, args: readonly string[]): Client {
  const url = new URL(adminUrl);
  const { PATH, SystemRoot } = process.env;
  const env = {
    PATH,
    LC_ALL: 'C',
    PGPASSWORD: url.password,
    ...(SystemRoot !== undefined && { SystemRoot }),
  };
  url.password = '';
  url.pathname = `/${SERVICE_DATABASE}`;
  const child = spawn(program, [...args, '--dbname', url.href], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  child.stderr.on('data', (text) => (output = `${output}${String(text)}`.slice(-KEPT_OUTPUT)));
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (error) => reject(failed(`${program}: ${error.message}`)));
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(failed(`${program} ended with ${code}: ${output.trim()}`)),
    );
  });
  return { child, ended };
}

function failed(why: string): EmbeddedPostgresFailed {
  return new EmbeddedPostgresFailed(why, 'Nothing was changed: the old data is as it was.');
}

const HAS_LOG = `SELECT to_regprocedure('continue_log()') IS NOT NULL AS has`;

const TABLES = `
  SELECT relname AS name, oid::regclass::text AS quoted FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname`;
