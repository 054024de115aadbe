import { AuditEntryEntity } from '../../database/entities/audit-entry.entity.ts';
import { PostgresAuditLog } from '../../database/audit/audit-log.store.ts';
import { ApiKeyEntity } from '../../database/entities/api-key.entity.ts';
import { PostgresApiKeys } from '../../database/secrets/api-keys.store.ts';
import { KeyUseEntity } from '../../database/entities/key-use.entity.ts';
import { PostgresKeyUses } from '../../database/secrets/key-uses.store.ts';
import type { Config } from '../../config/config.ts';
import type { ApiKeys, KeyUses } from '../../ports/api-keys.ts';
import type { AuditLog } from '../../ports/audit-log.ts';
import { openDatabase } from './open-database.ts';

/** The keys of the database that the service uses, and the log of their changes. */
export interface KeyStore {
  readonly apiKeys: ApiKeys;
  readonly keyUses: KeyUses;
  readonly auditLog: AuditLog;
  /** The names in API_KEYS, as this command's environment has it. */
  readonly setNames: readonly string[];
  readonly close: () => Promise<void>;
}

export async function openKeyStore(config: Config): Promise<KeyStore> {
  const { database, source, close } = await openDatabase(config);
  return {
    apiKeys: new PostgresApiKeys(database, source.getRepository(ApiKeyEntity)),
    keyUses: new PostgresKeyUses(database, source.getRepository(KeyUseEntity)),
    auditLog: new PostgresAuditLog(database, source.getRepository(AuditEntryEntity)),
    setNames: (config.apiKeys ?? []).map(({ name }) => name),
    close,
  };
}
