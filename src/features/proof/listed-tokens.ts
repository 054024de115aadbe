import { type ListedToken, tokensIn } from '../../domain/payment/listed-token.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import type { PaymentProvider } from '../../ports/payment-provider.ts';
import type { Timers } from '../../ports/timers.ts';

const KEPT_MS = 600_000;
/** A provider that does not answer holds up the looks of all its payments. */
const FAILURE_KEPT_MS = 30_000;
const MOST_LISTED = 100;

/** The tokens that a provider lists for a chain; none while the provider does not answer. */
export class ListedTokens {
  private readonly reads: SharedWork<readonly ListedToken[] | null>;

  constructor(timers: Timers) {
    this.reads = new SharedWork({ freshMs: keptMs, timesWork: 0, timers });
  }

  async of(
    provider: Pick<PaymentProvider, 'name' | 'searchCurrencies'>,
    chainId: number,
  ): Promise<readonly ListedToken[]> {
    const read = await this.reads.run(`${provider.name} ${chainId}`, async () => {
      const search = { chainIds: [chainId], verified: true, limit: MOST_LISTED };
      try {
        return tokensIn(await provider.searchCurrencies(search));
      } catch {
        return null;
      }
    });
    return read ?? [];
  }
}

function keptMs(read: readonly ListedToken[] | null): number {
  return read === null ? FAILURE_KEPT_MS : KEPT_MS;
}
