/**
 * How the provider failed to answer as asked. `refused`: 400, 404 or 422; `throttled`: 429; `credentials`: 401 or 403;
 * `misconfigured`: there is no payment API at its address; `unavailable`: anything else.
 */
export const REFUSAL_KINDS = ['refused', 'throttled', 'credentials', 'misconfigured', 'unavailable'] as const;
export type RefusalKind = (typeof REFUSAL_KINDS)[number];

/** The kind of request to the provider. */
export const ASKED = ['status', 'chains', 'quote', 'currencies'] as const;
export type Asked = (typeof ASKED)[number];

/** An answer of the provider that was none. */
export interface Refusal {
  readonly at: Date;
  readonly asked: Asked;
  readonly kind: RefusalKind;
  readonly httpStatus: number | null;
  /** The provider's words, or ours: one line of at most 300 characters, without a key or an internal address. */
  readonly message: string;
}

/** The facts that one process knows of the provider, beside those that all replicas share. */
export interface ProviderView {
  /** Its present trouble with the provider, for an operator; null: none. */
  readonly detail: string | null;
  /** True while the provider does not accept our key. */
  readonly isKeyRefused: boolean;
  /** How long its answers lately take, where that is above half the time limit; null: they are fast enough. */
  readonly slowMs: number | null;
  /** The newest last; a few. */
  readonly refusals: readonly Refusal[];
}

/** Returns what this process knows of the provider. */
export abstract class ProviderWatch {
  abstract seen(): ProviderView;
}

/** How much is used of what a provider allows at once, such as open deposit addresses for one recipient. */
export interface Capacity {
  /** The things that are counted, with the numbers before them: `open channels to 0x5a1c… for BTC`. */
  readonly of: string;
  readonly used: number;
  /** The number with which no quote of this kind is made any more. */
  readonly limit: number;
}

/** How far the provider's list of changes was read, which finds what polls have missed. */
export interface ReconcileState {
  /** Null before the first run. */
  readonly reconciledTo: Date | null;
  readonly nextAt: Date;
}
