import pg from 'pg';

import { connectAs } from './owner-lock.ts';
import { resolve } from 'node:path';
import { readFileSync } from 'node:fs';

export const SERVICE_DATABASE = 'paybell';
/** The service's role owns its database and nothing else; it is no superuser. */
export const SERVICE_ROLE = 'paybell';

/** Creates the service's role and database if they are missing. */
export async function ensureServiceDatabase(adminUrl: string, password: string): Promise<void> {
  const client = await connectAs(adminUrl);
  try {
    const role = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [SERVICE_ROLE]);
    if (role.rowCount === 0)
      await client.query(`CREATE ROLE ${SERVICE_ROLE} LOGIN PASSWORD ${pg.escapeLiteral(password)}`);
    const database = await client.query('SELECT FROM pg_database WHERE datname = $1', [SERVICE_DATABASE]);
    if (database.rowCount === 0)
      await client.query(
        `CREATE DATABASE ${SERVICE_DATABASE} OWNER ${SERVICE_ROLE} ENCODING 'UTF8' TEMPLATE template0`,
      );
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The URL of the embedded database of the Paybell that runs on this DATA_DIR; throws when the folder has no database. */
export function runningUrl(dataDir: string): string {
  const file = resolve(dataDir, 'postgres', 'paybell.json');
  try {
    const { password, port } = JSON.parse(readFileSync(file, 'utf8')) as { password: string; port: number };
    return `postgres://${SERVICE_ROLE}:${password}@127.0.0.1:${port}/${SERVICE_DATABASE}`;
  } catch (error) {
    throw new Error(`There is no embedded database in ${resolve(dataDir)}; set DATA_DIR or DATABASE_URL.`, {
      cause: error,
    });
  }
}
