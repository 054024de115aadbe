import pg from 'pg';

import { connectAs } from './owner-lock.ts';

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
