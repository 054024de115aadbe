import { hkdfSync } from 'node:crypto';

import { type PayerLink, PayerLinks } from '../../ports/payer-links.ts';
import { SecretBox, SecretUnreadable } from './secret-box.ts';

const OWNER = "payer's link";
const PREFIX = 'pbl_';
const FORM = /^pbl_[\w.-]{1,500}$/;
const KEY_BYTES = 32;

/** Payers' links, encrypted with keys that are derived from ENCRYPTION_KEY and ENCRYPTION_KEY_PREVIOUS. */
export class SealedPayerLinks extends PayerLinks {
  private readonly box: SecretBox;

  constructor(key: Buffer, previous: Buffer | null) {
    super();
    this.box = new SecretBox(derived(key), previous === null ? null : derived(previous));
  }

  override seal({ quoteId, keyHash, expiresAt }: PayerLink): string {
    const hash = Buffer.from(keyHash, 'hex').toString('base64url');
    const seconds = Math.floor(expiresAt.getTime() / 1_000);
    return `${PREFIX}${this.box.seal(`${seconds} ${hash} ${quoteId}`, OWNER)}`;
  }

  override open(token: string): PayerLink | null {
    if (!FORM.test(token)) return null;
    try {
      const [seconds, hash = '', quoteId = ''] = this.box.open(token.slice(PREFIX.length), OWNER).split(' ');
      const keyHash = Buffer.from(hash, 'base64url').toString('hex');
      return { quoteId, keyHash, expiresAt: new Date(Number(seconds) * 1_000) };
    } catch (error) {
      if (error instanceof SecretUnreadable) return null;
      throw error;
    }
  }
}

function derived(key: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', OWNER, KEY_BYTES));
}
