import { AuditEntryEntity } from './audit-entry.entity.ts';
import { EndpointEntity } from './endpoint.entity.ts';
import { ApiKeyEntity } from './api-key.entity.ts';
import { KeyUseEntity } from './key-use.entity.ts';
import { SessionEntity } from './session.entity.ts';

/** The tables that TypeORM maps. Stores use SQL for all others. */
export const ENTITIES = [ApiKeyEntity, AuditEntryEntity, EndpointEntity, KeyUseEntity, SessionEntity];
