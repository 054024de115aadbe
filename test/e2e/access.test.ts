import { auditLog } from './access/audit-log.ts';
import { managedKeys } from './access/managed-keys.ts';
import { roleTable } from './access/role-table.ts';

// In this order: the last one takes the room for entries of the audit log away.
roleTable();
managedKeys();
auditLog();
