import { Injectable } from '@nestjs/common';

import type { Role } from '../../domain/access/role.ts';
import { ApiKeys, KeyUses, type KeyUse } from '../../ports/api-keys.ts';
import { ApiKeyVerifier } from './api-key-verifier.ts';
import { EnvKeys, hashOf } from './env-keys.ts';
import { isKeyName, newKey } from './new-key.ts';

/** A key without its secret; `KeyView` of the answers describes it. */
interface ListedKey {
  readonly name: string;
  readonly role: Role;
  readonly source: 'database' | 'API_KEYS';
  readonly createdAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly lastUsedFrom: string | null;
}

/** Every request is compared with each key, so their number is bounded. */
const MAX_KEYS = 500;

/** No key has this name. */
export class UnknownKey extends Error {
  readonly code = 'unknown_key';
  constructor() {
    super('There is no API key with this name.');
  }
}

/** A key has this name already. */
export class KeyExists extends Error {
  readonly code = 'key_exists';
  readonly field = 'name';
  constructor(name: string, where: 'The database' | 'API_KEYS') {
    super(`${where} has an API key named ${name} already: choose another name.`);
  }
}

/** The key is one of the setting, which no request changes. */
export class KeyInSettings extends Error {
  readonly code = 'key_in_settings';
  constructor() {
    super('This API key is set by API_KEYS: remove it there, and start again.');
  }
}

/** Without this key no other admin key could be created. */
export class LastAdminKey extends Error {
  readonly code = 'last_admin_key';
  constructor() {
    super('This is the last API key with the role admin: make another one first.');
  }
}

/** The limit of keys is reached. */
export class TooManyKeys extends Error {
  readonly code = 'too_many_keys';
  constructor() {
    super(`There are ${MAX_KEYS} API keys already: revoke one first.`);
  }
}

/** Lists, creates and revokes API keys. */
@Injectable()
export class ManagedKeys {
  constructor(
    private readonly envKeys: EnvKeys,
    private readonly apiKeys: ApiKeys,
    private readonly keyUses: KeyUses,
    private readonly verifier: ApiKeyVerifier,
  ) {}

  async list(): Promise<ListedKey[]> {
    const [stored, noted] = await Promise.all([this.apiKeys.list(), this.keyUses.list()]);
    const uses = new Map(noted.map((use) => [use.hash, use]));
    const ofSetting = this.envKeys.keys.map(({ name, hash, role }): ListedKey => {
      return { name, role, source: 'API_KEYS', createdAt: null, ...lastOf(uses.get(hash.toString('hex'))) };
    });
    const ofDatabase = stored.map(({ name, hash, role, createdAt }): ListedKey => {
      return { name, role, source: 'database', createdAt, ...lastOf(uses.get(hash)) };
    });
    return [...ofSetting, ...ofDatabase];
  }

  /** Throws KeyExists and TooManyKeys. */
  async create(name: string, role: Role): Promise<ListedKey & { key: string }> {
    if (this.isSet(name)) throw new KeyExists(name, 'API_KEYS');
    if ((await this.apiKeys.list()).length >= MAX_KEYS) throw new TooManyKeys();
    const key = newKey();
    const hash = hashOf(key);
    if (!(await this.apiKeys.addKey(name, hash.toString('hex'), role)))
      throw new KeyExists(name, 'The database');
    this.verifier.remember({ name, hash, role });
    const view = (await this.list()).find((each) => each.name === name);
    // Another request has revoked the key meanwhile.
    if (view === undefined) throw new UnknownKey();
    return { ...view, key };
  }

  /** Throws UnknownKey, KeyInSettings and LastAdminKey. */
  async revoke(name: string): Promise<void> {
    if (this.isSet(name)) throw new KeyInSettings();
    const result = isKeyName(name) ? await this.remove(name) : 'unknown';
    if (result === 'unknown') throw new UnknownKey();
    if (result === 'last_admin') throw new LastAdminKey();
    this.verifier.forget(name);
  }

  /** An admin key of the setting can always create another key. */
  private async remove(name: string): Promise<'removed' | 'unknown' | 'last_admin'> {
    if (!this.envKeys.keys.some(({ role }) => role === 'admin'))
      return this.apiKeys.removeUnlessLastAdmin(name);
    return (await this.apiKeys.remove(name)) ? 'removed' : 'unknown';
  }

  private isSet(name: string): boolean {
    return this.envKeys.keys.some((key) => key.name === name);
  }
}

function lastOf(use: KeyUse | undefined): Pick<ListedKey, 'lastUsedAt' | 'lastUsedFrom'> {
  return { lastUsedAt: use?.usedAt ?? null, lastUsedFrom: use?.address ?? null };
}
