/** The result of encrypting one batch of secrets with the current key. */
export interface RenewedBatch {
  readonly renewed: number;
  /** The number of secrets that none of the known keys decrypts. */
  readonly unreadable: number;
  /** The id after which the next batch begins; null: this batch was the last. */
  readonly next: string | null;
}

/** Encrypts the stored secrets again after the encryption key has changed. */
export abstract class SecretsAtRest {
  /** Encrypts up to `limit` secrets with the current key, in the order of their ids after `after`. */
  abstract renew(after: string | null, limit: number): Promise<RenewedBatch>;
}
