import { type ListedToken, tokensIn } from '../../domain/payment/listed-token.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import type { ProviderCell } from '../../ports/provider-cell.ts';
import type { Timers } from '../../ports/timers.ts';

const KEPT_MS = 600_000;
const MOST_LISTED = 100;

/** The tokens of a chain that a provider lists; none if it does not answer. */
export class ListedTokens {
  private readonly reads: SharedWork<readonly ListedToken[]>;

  constructor(timers: Timers) {
    this.reads = new SharedWork({ freshMs: KEPT_MS, timesWork: 0, timers });
  }

  of({ provider }: ProviderCell, chainId: number): Promise<readonly ListedToken[]> {
    return this.reads.run(`${provider.name} ${chainId}`, async () => {
      const search = { chainIds: [chainId], verified: true, limit: MOST_LISTED };
      try {
        return tokensIn(await provider.searchCurrencies(search));
      } catch {
        return [];
      }
    });
  }
}
