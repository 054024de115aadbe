import { managedKeys } from './access/managed-keys.ts';
import { roleTable } from './access/role-table.ts';

roleTable();
managedKeys();
