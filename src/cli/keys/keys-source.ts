import { readClientSettings } from '../../config/client-settings.ts';
import { Config } from '../../config/config.ts';
import { PROVIDERS } from '../../providers/registered-providers.ts';
import type { Role } from '../../domain/access/role.ts';
import { openSession } from '../api/session.ts';
import { openKeyStore } from '../database/key-store.ts';
import { addKey, listKeys, revokeKey, type ListedKey } from './keys.ts';

/** Where keys are made and revoked: the API of a running Paybell, or its database. */
export interface KeysSource {
  readonly whenEmpty: string;
  list(): Promise<readonly ListedKey[]>;
  /** Returns the new key. */
  add(name: string, role: Role): Promise<string>;
  revoke(name: string): Promise<void>;
  close(): Promise<void>;
}

export function openKeys(): Promise<KeysSource> {
  return readClientSettings(process.env).isNamed ? Promise.resolve(ofApi()) : ofDatabase();
}

function ofApi(): KeysSource {
  const { api } = openSession();
  return {
    whenEmpty: 'No keys.\n',
    list: async () => (await api.call('get', '/api/keys')).data.data,
    add: async (name, role) => (await api.call('post', '/api/keys', { body: { name, role } })).data.key,
    revoke: async (name) => void (await api.call('delete', '/api/keys/{name}', { path: { name } })),
    close: () => Promise.resolve(),
  };
}

async function ofDatabase(): Promise<KeysSource> {
  const { close, ...store } = await openKeyStore(new Config(process.env, PROVIDERS, { asksProvider: false }));
  return {
    whenEmpty: 'No keys in the database; those of API_KEYS are not listed here.\n',
    list: () => listKeys(store),
    add: (name, role) => addKey(name, role, store),
    revoke: (name) => revokeKey(name, store),
    close,
  };
}
