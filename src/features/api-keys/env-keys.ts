import { createHash } from 'node:crypto';

import type { Role } from '../../domain/access/role.ts';
import type { KnownKey } from '../../ports/api-keys.ts';

const SHORT_SECRET = 16;

/** SHA-256 of an API key. A key has 256 random bits: a slow hash would add no security and slow requests down. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}

/** A key of the setting; without a role it is an admin's. */
interface NamedKey {
  readonly name: string;
  readonly secret: string;
  readonly role?: Role;
}

/** The keys of the setting `API_KEYS`, as hashes; their secrets are not kept. */
export class EnvKeys {
  readonly keys: readonly KnownKey[];
  /** The names of keys that are short enough to guess. */
  readonly shortNames: readonly string[];

  constructor(keys: readonly NamedKey[] | null) {
    this.keys = (keys ?? []).map(({ name, secret, role = 'admin' }) => ({
      name,
      hash: hashOf(secret),
      role,
      isShort: secret.length < SHORT_SECRET,
    }));
    this.shortNames = this.keys.filter(({ isShort }) => isShort).map(({ name }) => name);
  }
}
