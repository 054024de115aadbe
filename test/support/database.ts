import { randomBytes } from 'node:crypto';

import pg from 'pg';

/** The server's administrative URL and the migrated template, as global setup left them in the environment. */
export const SERVER_VARIABLE = 'PAYBELL_TEST_PG';
export const TEMPLATE_VARIABLE = 'PAYBELL_TEST_PG_TEMPLATE';

const LOCAL_SERVER = 'postgres://postgres@127.0.0.1:5432/postgres';

export interface TestDatabase {
  readonly url: string;
  readonly name: string;
  /** Adds what `drop` does first: what is connected from this process ends before the database goes. */
  beforeDrop(step: () => Promise<void>): void;
  /** Rows of one statement on a connection of its own. */
  query<Row extends object>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  /** Removes the database, whoever is still connected. */
  drop(): Promise<void>;
}

/** A migrated database of its own, for one test file: a copy of the template that global setup has migrated. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const template = process.env[TEMPLATE_VARIABLE];
  if (template === undefined) throw new Error(`${TEMPLATE_VARIABLE} is not set: global setup sets it`);
  const name = `${template}_${randomBytes(5).toString('hex')}`;
  const url = databaseUrl(name);
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  const firstSteps: (() => Promise<void>)[] = [];
  return {
    url,
    name,
    beforeDrop: (step) => void firstSteps.push(step),
    query: (sql, parameters) => queryAt(url, sql, parameters),
    drop: async () => {
      for (const step of firstSteps) await step();
      await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** An empty database, not migrated: for what migrates by itself. */
export async function createEmptyDatabase(): Promise<Pick<TestDatabase, 'url' | 'name' | 'query' | 'drop'>> {
  const name = `${process.env[TEMPLATE_VARIABLE] ?? 'paybell_test'}_${randomBytes(5).toString('hex')}`;
  const url = databaseUrl(name);
  await onServer(`CREATE DATABASE ${name}`);
  return {
    url,
    name,
    query: (sql, parameters) => queryAt(url, sql, parameters),
    drop: async () => {
      await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

export function databaseUrl(name: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return url.href;
}

function serverUrl(): string {
  return process.env[SERVER_VARIABLE] ?? process.env['TEST_DATABASE_URL'] ?? LOCAL_SERVER;
}

/** Rows of one statement on the server's administrative database. */
export function onServer<Row extends object>(sql: string, parameters?: unknown[]): Promise<Row[]> {
  return queryAt(serverUrl(), sql, parameters);
}

/** Rows of one statement on a connection of its own. */
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
