import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { SERVICE_DATABASE, SERVICE_ROLE } from './service-database.ts';

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
