import type { RoutedQuote } from '../../shared/spec-status.ts';

/** Begins the request id of a restored quote: without a deposit Relay may list no request, and those of later are found by the address. */
export const UNLISTED = 'restored:';

/** The stored part of Relay's quote, from which its status is read later. Amounts are digits in the smallest unit. */
export interface RelayQuote extends RoutedQuote {
  /** Relay's id; opaque. */
  readonly requestId: string;
  /** In exactly the form that the payer saw. */
  readonly depositAddress: string;
  /** Another quote has the same address, on another chain. */
  readonly isAddressShared?: true;
}
