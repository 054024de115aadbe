import { ProviderUnavailable } from './payment-provider.ts';

/** The provider works, but makes no such quote until an earlier one ends; another provider may. */
export class ProviderAtCapacity extends ProviderUnavailable {
  /** The detail of the answer to a client, in place of the one for other unavailable answers. */
  readonly publicDetail: string;
  constructor(why: string, retryAfterMs: number | null = null) {
    super(`no room for another quote: ${why}`, retryAfterMs);
    this.publicDetail = `The payment provider makes no such quote now: ${why}.`;
  }
}
