import { isRole, ROLES, type Role } from '../domain/access/role.ts';
import { hashOf } from '../features/api-keys/env-keys.ts';
import { A_KEY_NAME, isKeyName, newKey } from '../features/api-keys/new-key.ts';
import { audited, explained } from './audited.ts';
import type { KeyStore } from './key-store.ts';
import { UsageError } from './usage-error.ts';

type Keys = Omit<KeyStore, 'close'>;

/** Lists, makes and revokes API keys; returns the text to print. Throws UsageError, or an Error with a message to print. */
export async function manageKeys(words: readonly string[], keys: Keys): Promise<string> {
  const [action, name, ...rest] = words;
  if (action === 'list' && name === undefined) return explained(() => list(keys));
  if (name === undefined) throw new UsageError();
  if (!isKeyName(name)) throw new Error(`A name has ${A_KEY_NAME}.`);
  if (action === 'add') return add(name, roleIn(rest), keys);
  if (action === 'revoke' && rest.length === 0) return revoke(name, keys);
  throw new UsageError();
}

function roleIn([flag, role, ...rest]: readonly string[]): Role {
  if (flag === undefined) return 'admin';
  if (flag !== '--role' || role === undefined || rest.length > 0) throw new UsageError();
  if (!isRole(role)) throw new Error(`A role is one of: ${ROLES.join(', ')}.`);
  return role;
}

async function list({ apiKeys, keyUses }: Keys): Promise<string> {
  const keys = await apiKeys.list();
  if (keys.length === 0) return 'No keys in the database; those of API_KEYS are not listed here.\n';
  const uses = new Map((await keyUses.list()).map((use) => [use.hash, use]));
  const rows = keys.map(({ name, hash, role, createdAt }) => {
    const use = uses.get(hash);
    return [name, role, createdAt.toISOString(), use?.usedAt.toISOString() ?? 'never', use?.address ?? ''];
  });
  return tableOf([['NAME', 'ROLE', 'CREATED', 'LAST USED', 'FROM'], ...rows]);
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const widths =
    rows[0]?.map((_head, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lineOf = (row: readonly string[]): string =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((row) => `${lineOf(row).trimEnd()}\n`).join('');
}

async function add(name: string, role: Role, { apiKeys, auditLog, setNames }: Keys): Promise<string> {
  if (setNames.includes(name))
    throw new Error(`API_KEYS has a key named ${name} already: choose another name.`);
  const secret = newKey();
  await audited(auditLog, { action: 'key.create', target: name, values: { name, role } }, async () => {
    const isAdded = await apiKeys.add(name, hashOf(secret).toString('hex'), role);
    if (!isAdded) throw new Error(`There is a key named ${name} already.`);
  });
  return `${secret}\n`;
}

async function revoke(name: string, { apiKeys, auditLog }: Keys): Promise<string> {
  await audited(auditLog, { action: 'key.revoke', target: name }, async () => {
    if (!(await apiKeys.remove(name))) throw new Error(`There is no key named ${name}.`);
  });
  return `${name} is revoked.\n`;
}
