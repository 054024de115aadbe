import type { Role } from '../domain/access/role.ts';

/** An API key of the database. */
export interface StoredKey {
  readonly name: string;
  /** SHA-256 in hex; the database stores no keys. */
  readonly hash: string;
  readonly role: Role;
  readonly createdAt: Date;
}

/** The API keys in the database: the one that the first start generates, and those created later. */
export abstract class ApiKeys {
  abstract list(): Promise<StoredKey[]>;
  /** Stores a key; returns false when a key of this name exists already. */
  abstract addKey(name: string, hash: string, role: Role): Promise<boolean>;
  /** Removes a key and its sessions. Returns false when there is no such key. */
  abstract remove(name: string): Promise<boolean>;
  /**
   * Removes a key and its sessions, unless no other key of the database is an admin's. Of two removals at once, the second
   * sees the first.
   */
  abstract removeUnlessLastAdmin(name: string): Promise<'removed' | 'unknown' | 'last_admin'>;
}

/** When a key was last used, and from which address. */
export interface KeyUse {
  readonly hash: string;
  readonly usedAt: Date;
  readonly address: string | null;
}

/** The last use of each key, those of `API_KEYS` included. */
export abstract class KeyUses {
  abstract list(): Promise<KeyUse[]>;
  /** Notes that the key with this hash is used now. */
  abstract noteUse(hash: string, address: string | null): Promise<void>;
}

/** An API key that requests may use, from `API_KEYS` or from the database. */
export interface KnownKey {
  readonly name: string;
  /** SHA-256 of the key. */
  readonly hash: Buffer;
  readonly role: Role;
  /** True: short enough to be guessed; only a person makes such a key. */
  readonly isShort?: boolean;
}

/** Finds keys that clients send from an address, and slows down wrong ones. */
export abstract class SentKeys {
  /** Null: the key is not known. Throws TooManyWrongKeys while the next try has to wait, and StoreUnavailable. */
  abstract keyOf(secret: string, address: string | null): Promise<KnownKey | null>;
}

/** Finds the keys that requests may use now: a revoked key is not found after 2 s. Throws StoreUnavailable. */
export abstract class KnownKeys {
  abstract keyOf(secret: string): Promise<KnownKey | null>;
  /** The key for which the condition holds. All keys are tested, even after a match. */
  abstract keyWhere(isRight: (key: KnownKey) => boolean): Promise<KnownKey | null>;
  /** `hash`: SHA-256 in hex. */
  abstract keyOfHash(hash: string): Promise<KnownKey | null>;
  /**
   * Whether the key is still accepted, for a connection that stays open. Throws StoreUnavailable even for a key that was read
   * before.
   */
  abstract isStillKnown(hash: string): Promise<boolean>;
}
