/** The right to make the one quote of an `Idempotency-Key`, held until it expires. */
export interface IdempotencyClaim {
  readonly scope: string;
  readonly key: string;
  readonly token: string;
}

export type IdempotencyBegin =
  | { readonly kind: 'claimed'; readonly claim: IdempotencyClaim }
  /** Made before: the quote's stored text. */
  | { readonly kind: 'done'; readonly quoteText: string }
  /** Another request is making it right now. */
  | { readonly kind: 'busy' }
  /** Its quote was made, and its payment removed since. */
  | { readonly kind: 'removed' }
  /** The key was used with another body. */
  | { readonly kind: 'mismatch' };

/** The right ran out and another request took it over: what was made under it is not answered. */
export class IdempotencyLost extends Error {
  readonly code = 'idempotency_busy';
  constructor() {
    super('Another request with this Idempotency-Key took over.');
  }
}

/** Remembers for 24 h which quote an `Idempotency-Key` made, across replicas and restarts. */
export abstract class Idempotency {
  abstract begin(scope: string, key: string, bodyHash: string, leaseMs: number): Promise<IdempotencyBegin>;
  /** Gives the right back after a failure, so that the same key can be tried again. */
  abstract release(claim: IdempotencyClaim): Promise<void>;
  /** Removes keys older than 24 h; tells how many. */
  abstract removeExpired(): Promise<number>;
}
