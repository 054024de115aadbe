import { randomBytes } from 'node:crypto';

import pg from 'pg';
import { DataSource } from 'typeorm';

import { dataSourceOptions } from '../../src/database/connection/data-source-options.ts';
import { migrate } from '../../src/database/connection/migrate.ts';

/** The server's administrative URL and the migrated template, as global setup left them in the environment. */
export const SERVER_VARIABLE = 'PAYBELL_TEST_PG';
export const TEMPLATE_VARIABLE = 'PAYBELL_TEST_PG_TEMPLATE';

const POOL_SIZE = 10;
const LOCAL_SERVER = 'postgres://postgres@127.0.0.1:5432/postgres';

export interface TestDatabase {
  readonly url: string;
  readonly name: string;
  /** A data source as the service has it, connected; closed by `drop`. */
  dataSource(): Promise<DataSource>;
  /** Rows of one statement on a connection of its own. */
  query<Row extends object>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  /** Removes the database, whoever is still connected. */
  drop(): Promise<void>;
}

/** A migrated database of its own, for one test file. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const template = process.env[TEMPLATE_VARIABLE];
  const name = `${template ?? 'paybell_test'}_${randomBytes(5).toString('hex')}`;
  const url = databaseUrl(name);
  await onServer(`CREATE DATABASE ${name}${template === undefined ? '' : ` TEMPLATE ${template}`}`);
  if (template === undefined) await migrateAt(url);
  const sources: DataSource[] = [];
  return {
    url,
    name,
    dataSource: async () => {
      const source = await new DataSource(dataSourceOptions(url, POOL_SIZE)).initialize();
      sources.push(source);
      return source;
    },
    query: (sql, parameters) => queryAt(url, sql, parameters),
    drop: async () => {
      for (const source of sources) if (source.isInitialized) await source.destroy();
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

/** Makes the migrated template that every test database is copied from; answers its name. */
export async function createTemplate(): Promise<string> {
  const name = `paybell_test_${randomBytes(4).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name}`);
  await migrateAt(databaseUrl(name));
  return name;
}

/** Drops the template and every database that was made from it and left. */
export async function dropTemplate(template: string): Promise<void> {
  const left = await onServer<{ name: string }>(
    `SELECT datname AS name FROM pg_database WHERE datname = $1 OR starts_with(datname, $1 || '_')`,
    [template],
  );
  for (const { name } of left) await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

function databaseUrl(name: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return url.href;
}

function serverUrl(): string {
  return process.env[SERVER_VARIABLE] ?? process.env['TEST_DATABASE_URL'] ?? LOCAL_SERVER;
}

async function migrateAt(url: string): Promise<void> {
  const source = await new DataSource(dataSourceOptions(url, POOL_SIZE)).initialize();
  try {
    await migrate(source);
  } finally {
    await source.destroy();
  }
}

function onServer<Row extends object>(sql: string, parameters?: unknown[]): Promise<Row[]> {
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
