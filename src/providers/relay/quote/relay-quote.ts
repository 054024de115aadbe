/** A token on one side of a route; `address` as the spec has it (native: the zero address). */
export interface RouteToken {
  readonly chainId: number;
  readonly chainName: string;
  readonly address: string;
  readonly symbol: string;
  readonly decimals: number;
}

/** What is kept of a quote that Relay made: enough to read its status later. Amounts are in the smallest unit, as digits. */
export interface RelayQuote {
  /** A UUID, ours. */
  readonly quoteId: string;
  /** Relay's; opaque. */
  readonly requestId: string;
  /** Exactly as shown to the payer. */
  readonly depositAddress: string;
  readonly from: RouteToken;
  readonly to: RouteToken;
  /** What is to be sent. */
  readonly amount: string;
  readonly recipient: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Another quote has this address too, to be paid on another chain. */
  readonly isAddressShared?: true;
}
