import { PostgresApiKeys } from '../database/secrets/api-keys.store.ts';
import type { Config } from '../config/config.ts';
import type { ApiKeys } from '../ports/api-keys.ts';
import { openDatabase } from './open-database.ts';

/** Opens the keys of the database that the service uses. */
export async function openKeyStore(
  config: Config,
): Promise<{ apiKeys: ApiKeys; close: () => Promise<void> }> {
  const { database, close } = await openDatabase(config);
  return { apiKeys: new PostgresApiKeys(database), close };
}
