import { PostgresApiKeys } from '../database/secrets/api-keys.store.ts';
import { PostgresKeyUses } from '../database/secrets/key-uses.store.ts';
import type { Config } from '../config/config.ts';
import type { ApiKeys, KeyUses } from '../ports/api-keys.ts';
import { openDatabase } from './open-database.ts';

/** The keys of the database that the service uses. */
export interface KeyStore {
  readonly apiKeys: ApiKeys;
  readonly keyUses: KeyUses;
  readonly close: () => Promise<void>;
}

export async function openKeyStore(config: Config): Promise<KeyStore> {
  const { database, close } = await openDatabase(config);
  return {
    apiKeys: new PostgresApiKeys(database),
    keyUses: new PostgresKeyUses(database),
    close,
  };
}
