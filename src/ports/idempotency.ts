/** A claim to make the one quote of an `Idempotency-Key`, with a lease. */
export interface IdempotencyClaim {
  readonly scope: string;
  readonly key: string;
  readonly token: string;
}

export type IdempotencyBegin =
  | { readonly kind: 'claimed'; readonly claim: IdempotencyClaim }
  /** An earlier request made the quote; this is its stored text. */
  | { readonly kind: 'done'; readonly quoteId: string; readonly quoteText: string }
  /** Another request is making the quote now. */
  | { readonly kind: 'busy' }
  /** An earlier request made the quote, and retention has removed its payment. */
  | { readonly kind: 'removed' }
  /** The key was used with another body. */
  | { readonly kind: 'mismatch' };

/** The key was used with another body before. */
export class IdempotencyMismatch extends Error {
  readonly code = 'idempotency_mismatch';
  constructor() {
    super('This Idempotency-Key was used with another body before.');
  }
}

/** Another request with this key is still making its quote. */
export class IdempotencyBusy extends Error {
  readonly code = 'idempotency_busy';
  readonly retryAfterMs = 1_000;
  constructor() {
    super('Another request with this Idempotency-Key is still in progress.');
  }
}

/** The claim's lease expired and another request took over: this request must not return its quote. */
export class IdempotencyLost extends Error {
  readonly code = 'idempotency_busy';
  constructor() {
    super('Another request with this Idempotency-Key took over.');
  }
}

/** Stores for 24 h which quote each `Idempotency-Key` made, across replicas and restarts. */
export abstract class Idempotency {
  abstract begin(scope: string, key: string, bodyHash: string, leaseMs: number): Promise<IdempotencyBegin>;
  /** Renews the lease of a claim, from now on. Does nothing if the claim was taken over, released or completed. */
  abstract renew(claim: IdempotencyClaim, leaseMs: number): Promise<void>;
  /** Releases the claim after a failure, so that a request with the same key can try again. */
  abstract release(claim: IdempotencyClaim): Promise<void>;
  /** Removes keys older than 24 h; returns how many. */
  abstract removeExpired(): Promise<number>;
}
