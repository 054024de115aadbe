import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const VERSION = 'v1';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The encrypted text cannot be opened with the present keys. The message names key ids, never a key or a secret. */
export class SecretUnreadable extends Error {
  readonly code = 'secret_unreadable';
  constructor(
    message: string,
    /** True: the key that encrypted the text would open it, but it is not set. False: no key does. */
    readonly isOfOtherKey = false,
  ) {
    super(message);
  }
}

/** Encrypts secrets for the database with AES-256-GCM: `v1.<key id>.<iv>.<ciphertext and tag>`, base64url. */
export class SecretBox {
  readonly keyId: string;
  private readonly previousKeyId: string | null;

  /** Encrypts with `key`; also decrypts texts of `previous` until all are encrypted anew. */
  constructor(
    private readonly key: Buffer,
    private readonly previous: Buffer | null = null,
  ) {
    this.keyId = keyIdOf(key);
    this.previousKeyId = previous === null ? null : keyIdOf(previous);
  }

  /** The beginning of every text that the present key has encrypted. */
  get prefix(): string {
    return `${VERSION}.${this.keyId}.`;
  }

  /** Encrypts a secret that opens only for the same `owner`. */
  seal(text: string, owner: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, iv, { authTagLength: TAG_BYTES }).setAAD(
      Buffer.from(owner),
    );
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${this.prefix}${iv.toString('base64url')}.${sealed.toString('base64url')}`;
  }

  /** Throws SecretUnreadable. */
  open(sealed: string, owner: string): string {
    const [version, keyId, iv, rest] = sealed.split('.');
    if (version !== VERSION || keyId === undefined || iv === undefined || rest === undefined)
      throw new SecretUnreadable('It is not in a form that this version can read');
    const key = this.keyOf(keyId);
    try {
      return decrypt(key, Buffer.from(iv, 'base64url'), Buffer.from(rest, 'base64url'), owner);
    } catch {
      throw new SecretUnreadable(`It is damaged, or belongs to another row (key ${keyId})`);
    }
  }

  private keyOf(keyId: string): Buffer {
    if (keyId === this.keyId) return this.key;
    if (keyId === this.previousKeyId && this.previous !== null) return this.previous;
    const known = [`ENCRYPTION_KEY is the key ${this.keyId}`];
    if (this.previousKeyId !== null) known.push(`ENCRYPTION_KEY_PREVIOUS the key ${this.previousKeyId}`);
    throw new SecretUnreadable(`It was encrypted with the key ${keyId}, but ${known.join(' and ')}`, true);
  }
}

function keyIdOf(key: Buffer): string {
  if (key.length !== KEY_BYTES)
    throw new Error(`The encryption key has ${key.length} bytes, not ${KEY_BYTES}`);
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}

function decrypt(key: Buffer, iv: Buffer, sealed: Buffer, owner: string): string {
  const tagAt = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(sealed.subarray(tagAt));
  return Buffer.concat([decipher.update(sealed.subarray(0, tagAt)), decipher.final()]).toString('utf8');
}
