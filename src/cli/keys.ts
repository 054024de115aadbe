import { hashOf } from '../features/api-keys/env-keys.ts';
import { newKey } from '../features/api-keys/new-key.ts';
import type { ApiKeys } from '../ports/api-keys.ts';
import { UsageError } from './usage-error.ts';

const NAME = /^[\w.-]{1,64}$/;

/** Lists, makes and revokes API keys; returns the text to print. Throws UsageError, or an Error with a message to print. */
export async function manageKeys(words: readonly string[], apiKeys: ApiKeys): Promise<string> {
  const [action, name, ...rest] = words;
  if (rest.length > 0) throw new UsageError();
  if (action === 'list' && name === undefined) return list(apiKeys);
  if (name === undefined) throw new UsageError();
  if (!NAME.test(name)) throw new Error('A name has 1 to 64 letters, digits, dots, dashes or underscores.');
  if (action === 'add') return add(name, apiKeys);
  if (action === 'revoke') return revoke(name, apiKeys);
  throw new UsageError();
}

async function list(apiKeys: ApiKeys): Promise<string> {
  const keys = await apiKeys.list();
  if (keys.length === 0) return 'No keys in the database; those of API_KEYS are not listed here.\n';
  return keys.map((key) => `${key.createdAt.toISOString()}  ${key.name}\n`).join('');
}

async function add(name: string, apiKeys: ApiKeys): Promise<string> {
  const secret = newKey();
  const isAdded = await apiKeys.add(name, hashOf(secret).toString('hex'), 'admin');
  if (!isAdded) throw new Error(`There is a key named ${name} already.`);
  return `${secret}\n`;
}

async function revoke(name: string, apiKeys: ApiKeys): Promise<string> {
  if (!(await apiKeys.remove(name))) throw new Error(`There is no key named ${name}.`);
  return `${name} is revoked.\n`;
}
