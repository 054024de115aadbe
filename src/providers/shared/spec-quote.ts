/** A token in the spec's form: the native token has the zero address. */
export interface QuotedToken {
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

/** One part of the fees. */
export interface QuoteFee {
  readonly amount: string;
  readonly usd: string;
  readonly currency: string;
}

interface Side {
  readonly chain: { readonly id: number; readonly name: string };
  readonly token: QuotedToken;
}

/** The spec's Quote object; fields that a provider does not state are left out. */
export interface SpecQuote {
  readonly success: true;
  readonly quoteId: string;
  readonly expiresIn: number;
  readonly send: Side & {
    readonly depositAddress: string;
    /** The memo, which is part of the address on chains that use one. */
    readonly depositMemo?: string;
    readonly amount: string;
    /**
     * The least deposit for which anything is delivered, with an exact output: `amount` then includes a margin for the price.
     */
    readonly minimumAmount?: string;
  };
  readonly receive: Side & {
    readonly estimatedAmount: string;
    readonly estimatedAmountUsd?: string;
    readonly minimumAmount?: string;
  };
  readonly recipient: string;
  readonly fees: {
    /** Four fraction digits at most. */
    readonly totalUsd?: string;
    readonly gas?: QuoteFee;
    readonly relayer?: QuoteFee;
    readonly app?: QuoteFee;
  };
  readonly estimatedTime?: string;
  readonly steps: number;
  readonly statusUrl: string;
  readonly depositNote: string;
}

/** One side of a quote. */
export function sideOf(chain: Side['chain'], { address, symbol, name, decimals }: QuotedToken): Side {
  return { chain: { id: chain.id, name: chain.name }, token: { address, symbol, name, decimals } };
}

/** The instructions for a payer; `other` says how other amounts and exchanges are handled. */
export function depositNote(payment: string, chainName: string, expiresIn: number, other: string): string {
  return [
    `Send exactly ${payment} on ${chainName} to this address, in one transfer, within ${expiresIn} seconds.`,
    `The address is for this payment only: another token or another chain may be lost, ${other}.`,
    'Pay from your own wallet, not from an exchange: exchanges send late, deduct a fee, and may not take a refund back.',
  ].join(' ');
}

/** A provider's estimate in whole seconds; null for any other value. */
export function readSeconds(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value < 1e9 ? Math.max(1, Math.ceil(value)) : null;
}
