import { AuditEntryEntity } from './audit/audit-entry.entity.ts';
import { EndpointEntity } from './endpoints/endpoint.entity.ts';
import { ApiKeyEntity } from './secrets/api-key.entity.ts';
import { KeyUseEntity } from './secrets/key-use.entity.ts';
import { SessionEntity } from './secrets/session.entity.ts';

/** The tables that TypeORM maps. All others have statements of their own. */
export const ENTITIES = [ApiKeyEntity, AuditEntryEntity, EndpointEntity, KeyUseEntity, SessionEntity];
