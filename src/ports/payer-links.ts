/** The payment that a payer's link shows, and until when. */
export interface PayerLink {
  readonly quoteId: string;
  /** SHA-256 in hex of the API key that created it: the link ends with the key. */
  readonly keyHash: string;
  readonly expiresAt: Date;
}

/** Payers' links as tokens, which are stored nowhere. */
export abstract class PayerLinks {
  /** The token is encrypted and begins with `pbl_`, which the log redacts. Its time is cut to seconds. */
  abstract seal(link: PayerLink): string;
  /** Null: no key of this installation has created it. */
  abstract open(token: string): PayerLink | null;
}
