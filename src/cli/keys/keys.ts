import type { Role } from '../../domain/access/role.ts';
import { hashOf } from '../../features/api-keys/env-keys.ts';
import { A_KEY_NAME, isKeyName, newKey } from '../../features/api-keys/new-key.ts';
import { audited, explained } from '../database/audited.ts';
import type { KeyStore } from '../database/key-store.ts';

type Keys = Omit<KeyStore, 'close'>;

/** A key in the form in which both the API and the database list it. */
export interface ListedKey {
  readonly name: string;
  readonly role: string;
  readonly createdAt: string | null;
  readonly lastUsedAt: string | null;
  readonly lastUsedFrom: string | null;
}

/**
 * The keys of the database, without a running Paybell: for the first admin, and after a lock-out. Each function throws an
 * Error with a message.
 */
export async function listKeys({ apiKeys, keyUses }: Keys): Promise<ListedKey[]> {
  return explained(async () => {
    const keys = await apiKeys.list();
    const uses = new Map((await keyUses.list()).map((use) => [use.hash, use]));
    return keys.map(({ name, hash, role, createdAt }) => {
      const use = uses.get(hash);
      const lastUsedAt = use?.usedAt.toISOString() ?? null;
      return {
        name,
        role,
        createdAt: createdAt.toISOString(),
        lastUsedAt,
        lastUsedFrom: use?.address ?? null,
      };
    });
  });
}

/** Returns the new key, which is shown once. */
export async function addKey(
  name: string,
  role: Role,
  { apiKeys, auditLog, setNames }: Keys,
): Promise<string> {
  if (!isKeyName(name)) throw new Error(`A name has ${A_KEY_NAME}.`);
  if (setNames.includes(name))
    throw new Error(`API_KEYS has a key named ${name} already: choose another name.`);
  const secret = newKey();
  await audited(auditLog, { action: 'key.create', target: name, values: { name, role } }, async () => {
    const isAdded = await apiKeys.addKey(name, hashOf(secret).toString('hex'), role);
    if (!isAdded) throw new Error(`There is a key named ${name} already.`);
  });
  return secret;
}

export async function revokeKey(name: string, { apiKeys, auditLog, setNames }: Keys): Promise<void> {
  if (!isKeyName(name)) throw new Error(`A name has ${A_KEY_NAME}.`);
  if (setNames.includes(name))
    throw new Error(`The key ${name} is set by API_KEYS: remove it there, and start again.`);
  await audited(auditLog, { action: 'key.revoke', target: name }, async () => {
    if (!(await apiKeys.remove(name))) throw new Error(`There is no key named ${name}.`);
  });
}
