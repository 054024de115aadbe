import { randomBytes } from 'node:crypto';

import pg from 'pg';

/** The server's administrative URL and the migrated template, as global setup left them in the environment. */
export const SERVER_VARIABLE = 'PAYBELL_TEST_PG';
export const TEMPLATE_VARIABLE = 'PAYBELL_TEST_PG_TEMPLATE';
/** Host and port of the PgBouncer before every test database, where TEST_PGBOUNCER names its mode. */
export const POOLER_VARIABLE = 'PAYBELL_TEST_PGBOUNCER';

const LOCAL_SERVER = 'postgres://postgres@127.0.0.1:5432/postgres';

/** The number of statements of one test that may wait for each other's locks. */
const POOL_SIZE = 6;

export interface TestDatabase {
  /** The URL through the pooler, where the run has one. */
  readonly url: string;
  /** The URL past any pooler, for tests about a session. */
  readonly directUrl: string;
  readonly name: string;
  /** Adds a step that `drop` does first: connections of this process end before the database is dropped. */
  beforeDrop(step: () => Promise<void>): void;
  /** The rows of one statement, on a pooled connection: a new connection costs PostgreSQL more than most statements do. */
  query<Row extends object>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  /** Drops the database even while clients are connected. */
  drop(): Promise<void>;
}

/** A migrated database for one test file: a copy of the template that global setup has migrated. */
export function createTestDatabase(): Promise<TestDatabase> {
  const template = process.env[TEMPLATE_VARIABLE];
  if (template === undefined) throw new Error(`${TEMPLATE_VARIABLE} is not set: global setup sets it`);
  // Copying files costs a fraction of logging each page of the copy, which is the default.
  return createDatabase(template, `TEMPLATE ${template} STRATEGY FILE_COPY`);
}

/** An empty database, for tests of a program that migrates it. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase(process.env[TEMPLATE_VARIABLE] ?? 'paybell_test', 'STRATEGY FILE_COPY');
}

async function createDatabase(prefix: string, options: string): Promise<TestDatabase> {
  const name = `${prefix}_${randomBytes(5).toString('hex')}`;
  const directUrl = databaseUrl(name);
  await onServer(`CREATE DATABASE ${name} ${options}`);
  const pool = new pg.Pool({ connectionString: directUrl, max: POOL_SIZE, allowExitOnIdle: true });
  // A connection that a test ends is replaced.
  pool.on('error', () => undefined);
  const firstSteps = [() => pool.end()];
  return {
    url: pooledUrl(directUrl),
    directUrl,
    name,
    beforeDrop: (step) => void firstSteps.push(step),
    query: async (sql, parameters) => (await pool.query(sql, parameters)).rows,
    drop: async () => {
      for (const step of firstSteps) await step();
      await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

export function databaseUrl(name: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return url.href;
}

/** The administrative URL, past any pooler. */
export function serverUrl(): string {
  return process.env[SERVER_VARIABLE] ?? process.env['TEST_DATABASE_URL'] ?? LOCAL_SERVER;
}

function pooledUrl(directUrl: string): string {
  const pooler = process.env[POOLER_VARIABLE];
  if (pooler === undefined) return directUrl;
  const url = new URL(directUrl);
  url.host = pooler;
  return url.href;
}

/** The rows of one statement on the server's administrative database. */
export function onServer<Row extends object>(sql: string, parameters?: unknown[]): Promise<Row[]> {
  return queryAt(serverUrl(), sql, parameters);
}

/** The rows of one statement on a connection of its own. */
export async function queryAt<Row extends object>(
  url: string,
  sql: string,
  parameters?: unknown[],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql, parameters)).rows;
  } finally {
    await client.end();
  }
}
