/** The provider's Payment status object: the fields that the payment API names, and any other that the provider sends. */
export interface ProviderReport {
  readonly [field: string]: unknown;
  readonly quoteId?: string;
  readonly status?: string;
  /** Unix seconds. */
  readonly createdAt?: number;
  /** Unix seconds. */
  readonly expiresAt?: number;
  readonly depositAddress?: string;
  readonly deposit?: object | null;
  readonly gas?: object | null;
  readonly execution?: { readonly [field: string]: unknown; readonly outputTxHash?: string | null } | null;
  readonly route?: object;
  readonly error?: string | null;
}
