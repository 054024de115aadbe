import { ProviderUnavailable } from './payment-provider.ts';

/** The provider works, and makes no such quote until a former one ends: another provider may. */
export class ProviderAtCapacity extends ProviderUnavailable {
  /** Replaces the detail of other unavailable answers in the answer to a client. */
  readonly publicDetail: string;
  constructor(why: string, retryAfterMs: number | null = null) {
    super(`no room for another quote: ${why}`, retryAfterMs);
    this.publicDetail = `The payment provider makes no such quote now: ${why}.`;
  }
}
