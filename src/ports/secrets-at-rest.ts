/** One batch of secrets that were encrypted with another than the present key. */
export interface RenewedBatch {
  readonly renewed: number;
  /** Those that none of the known keys opens. */
  readonly unreadable: number;
  /** Where the next batch begins; null: there is none. */
  readonly next: string | null;
}

/** Secrets that are encrypted at rest, while the key is being changed. */
export abstract class SecretsAtRest {
  /** Encrypts up to `limit` of them with the present key, those after `after` in the order of their ids. */
  abstract renew(after: string | null, limit: number): Promise<RenewedBatch>;
}
