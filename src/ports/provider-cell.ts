import { type PaymentProvider, ProviderNotAsked } from './payment-provider.ts';
import type { PollRequests } from './poll-requests.ts';
import type { ProviderRateLimit } from './provider-rate-limit.ts';
import type { ProviderWatch } from './provider-view.ts';
import type { QuoteBudget } from './quote-budget.ts';
import type { ProviderHealth } from './readiness.ts';
import type { Schedule } from './schedule.ts';

/** The stores that the replicas share for one provider: a provider's trouble never touches another one's rows. */
export interface ProviderStores {
  readonly schedule: Schedule;
  readonly rateLimit: ProviderRateLimit;
  readonly quoteBudget: QuoteBudget;
}

/** How many payments of a provider are open, and how many of these have ended but may still get a late deposit. */
export interface OpenPayments {
  readonly provider: string;
  readonly active: number;
  readonly watched: number;
}

/** Makes the stores of each provider. */
export abstract class ProviderDatabase {
  abstract storesOf(provider: PaymentProvider): ProviderStores;

  /** The open payments of providers other than `names`. Throws StoreUnavailable. */
  abstract openOfOthers(names: readonly string[]): Promise<readonly OpenPayments[]>;
}

/** The configured providers, the preferred one first. */
export class PaymentProviders {
  /** `registered` are the names of every provider that there is, also of those that were never configured. */
  constructor(
    readonly all: readonly PaymentProvider[],
    readonly registered: readonly string[] = [],
  ) {}
}

/** A provider with everything of its own: the state that the replicas share, and the state and work of this process. */
export interface ProviderCell extends ProviderStores {
  readonly provider: PaymentProvider;
  readonly health: ProviderHealth;
  readonly watch: ProviderWatch;
  readonly pollRequests: PollRequests;
}

/** The cells of the configured providers, the preferred one first. */
export class ProviderCells {
  constructor(
    readonly all: readonly ProviderCell[],
    private readonly registered: readonly string[] = [],
  ) {}

  get names(): readonly string[] {
    return this.all.map(({ provider }) => provider.name);
  }

  /** The names that rows may have: a provider's payments stay when its name is taken out of the settings. */
  get everyName(): readonly string[] {
    return [...new Set([...this.names, ...this.registered])];
  }

  /** The cells of the providers that can be asked, the preferred one first. */
  get asked(): readonly ProviderCell[] {
    return this.all.filter(({ provider }) => !provider.isLeft);
  }

  /** The cell of the first provider. */
  get preferred(): ProviderCell {
    const [first] = this.all;
    if (first === undefined) throw new Error('No payment provider is configured.');
    return first;
  }

  /** The cell of the provider with this name; null: PROVIDER no longer names it. */
  find(name: string): ProviderCell | null {
    return this.all.find(({ provider }) => provider.name === name) ?? null;
  }

  /** Throws ProviderNotAsked when PROVIDER no longer names it. */
  of(name: string): ProviderCell {
    const found = this.find(name);
    if (found === null) throw new ProviderNotAsked(`PROVIDER does not name ${name} any more`, null);
    return found;
  }
}
