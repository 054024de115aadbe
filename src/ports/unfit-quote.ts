import { ProviderUnavailable } from './payment-provider.ts';

/** How the reason of each begins. */
export const UNSAFE = 'unsafe quote: ';

/** The provider's quote differs from its request, or cannot be read: its deposit address must not be shown. */
export class UnfitQuote extends ProviderUnavailable {
  readonly publicDetail: string;
  constructor(
    /** The failed check in words, without any part of the quote. */
    readonly check: string,
  ) {
    super(`${UNSAFE}${check}`);
    this.publicDetail = `The payment provider's quote differs from the request (${check}), and is not shown.`;
  }
}
