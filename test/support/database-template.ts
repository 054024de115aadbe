import { randomBytes } from 'node:crypto';

import { DataSource } from 'typeorm';

import { dataSourceOptions } from '../../src/database/connection/data-source-options.ts';
import { migrate } from '../../src/database/gate/migrate.ts';
import { databaseUrl, onServer } from './database.ts';

const POOL_SIZE = 10;

/** Creates the migrated template from which every test database is copied; returns its name. */
export async function createTemplate(): Promise<string> {
  const name = `paybell_test_${randomBytes(4).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name}`);
  await migrateAt(databaseUrl(name));
  return name;
}

/** Drops the template and every remaining copy of it. */
export async function dropTemplate(template: string): Promise<void> {
  const left = await onServer<{ name: string }>(
    `SELECT datname AS name FROM pg_database WHERE datname = $1 OR starts_with(datname, $1 || '_')`,
    [template],
  );
  for (const { name } of left) await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

async function migrateAt(url: string): Promise<void> {
  const source = await new DataSource(dataSourceOptions(url, POOL_SIZE)).initialize();
  try {
    await migrate(source);
    await source.query('SELECT add_provider($1)', ['http']);
  } finally {
    await source.destroy();
  }
}
