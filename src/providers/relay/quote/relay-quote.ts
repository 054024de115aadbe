/** A token on one side of a route; `address` in the spec's form: the zero address for a native token. */
export interface RouteToken {
  readonly chainId: number;
  readonly chainName: string;
  readonly address: string;
  readonly symbol: string;
  readonly decimals: number;
}

/** Begins the request id of a restored quote: without a deposit Relay may list no request, and those of later are found by the address. */
export const UNLISTED = 'restored:';

/** The stored part of Relay's quote, from which its status is read later. Amounts are digits in the smallest unit. */
export interface RelayQuote {
  /** Our UUID. */
  readonly quoteId: string;
  /** Relay's id; opaque. */
  readonly requestId: string;
  /** In exactly the form that the payer saw. */
  readonly depositAddress: string;
  readonly from: RouteToken;
  readonly to: RouteToken;
  /** The amount to send. */
  readonly amount: string;
  readonly recipient: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Another quote has the same address, on another chain. */
  readonly isAddressShared?: true;
}
