import { auditLog } from './access/audit-log.ts';
import { managedKeys } from './access/managed-keys.ts';
import { roleTable } from './access/role-table.ts';

// The order matters: the last suite fills the audit log.
roleTable();
managedKeys();
auditLog();
