/**
 * How the provider failed to answer. `refused`: 400, 404 or 422; `throttled`: 429; `credentials`: 401 or 403;
 * `misconfigured`: there is no payment API at its address; `unavailable`: anything else.
 */
export const REFUSAL_KINDS = ['refused', 'throttled', 'credentials', 'misconfigured', 'unavailable'] as const;
export type RefusalKind = (typeof REFUSAL_KINDS)[number];

/** The kind of request to the provider. */
export const ASKED = ['status', 'chains', 'quote', 'currencies'] as const;
export type Asked = (typeof ASKED)[number];

/** A failed answer of the provider. */
export interface Refusal {
  readonly at: Date;
  readonly asked: Asked;
  readonly kind: RefusalKind;
  readonly httpStatus: number | null;
  /** The provider's message, or Paybell's own: one line of at most 300 characters, without a key or an internal address. */
  readonly message: string;
}

/** One process's own view of the provider, apart from the state that all replicas share. */
export interface ProviderView {
  /** The trouble of this process with the provider, for an operator; null: none. */
  readonly detail: string | null;
  /** True while the provider does not accept our key. */
  readonly isKeyRefused: boolean;
  /**
   * The recent mean duration of the provider's answers, if it is above half the time limit; null: the answers are fast enough.
   */
  readonly slowMs: number | null;
  /** A few of the latest refusals, the newest last. */
  readonly refusals: readonly Refusal[];
}

/** Returns this process's view of the provider. */
export abstract class ProviderWatch {
  abstract seen(): ProviderView;
}

/** How much of a provider's own limit is used, such as open deposit addresses for one recipient. */
export interface Capacity {
  /** The words after the numbers for the counted objects: `open channels to 0x5a1c… for BTC`. */
  readonly of: string;
  readonly used: number;
  /** The number at which the provider makes no further quote of this kind. */
  readonly limit: number;
}

/** How far Paybell has read the provider's list of changes, which shows changes that polls missed. */
export interface ReconcileState {
  /** Null before the first run. */
  readonly reconciledTo: Date | null;
  readonly nextAt: Date;
}
