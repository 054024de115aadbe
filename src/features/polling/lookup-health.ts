import {
  ProviderCredentials,
  ProviderMisconfigured,
  ProviderRefused,
  ProviderUnavailable,
} from '../../ports/payment-provider.ts';
import type { Lookup } from '../../ports/readiness.ts';

/** So many failures in a row, of any kind of lookup, degrade the health; before the first answer one is enough. */
const DEGRADED_AFTER = 2;
/** So many failures in a row of one kind degrade the health while lookups of other kinds succeed. */
const ONE_KIND_AFTER = 3;
/** A failed lookup that no client repeats for so long is forgotten. */
const FORGOTTEN_AFTER_MS = 300_000;

const WORDS: Readonly<Record<Lookup, string>> = {
  chains: "its list of chains can't be read",
  quote: 'it makes no quotes',
  currencies: "its tokens can't be searched",
};
const NO_KEY = 'it does not accept our key';
const NO_API = 'there is no payment API at its address: check PROVIDER_BASE_URL (without /api)';

interface Trouble {
  readonly detail: string;
  /** True for a wrong key or address, which only an operator can correct. */
  readonly isLasting: boolean;
  readonly failures: number;
  readonly at: number;
}

/** The health of the provider's lookups (chains, quotes, tokens), as this process sees it. */
export class LookupHealth {
  private readonly troubles = new Map<Lookup, Trouble>();
  private hasWorked = false;
  /** The failures since the last successful lookup of any kind. */
  private failures = 0;

  /** The current trouble, for an operator; null: none. */
  get trouble(): string | null {
    const now = performance.now();
    const known = [...this.troubles].filter(
      ([kind, { at }]) => kind === 'chains' || now - at < FORGOTTEN_AFTER_MS,
    );
    const isGeneral = this.failures >= (this.hasWorked ? DEGRADED_AFTER : 1);
    const bad = known
      .map(([, trouble]) => trouble)
      .filter(({ isLasting, failures }) => isLasting || isGeneral || failures >= ONE_KIND_AFTER);
    return (bad.find(({ isLasting }) => isLasting) ?? bad[0])?.detail ?? null;
  }

  record(lookup: Lookup, failure: unknown): void {
    const trouble = troubleOf(lookup, failure);
    if (trouble === 'none') return this.recordSuccess(lookup);
    if (trouble === 'not the provider') return;
    this.failures += 1;
    const failures = (this.troubles.get(lookup)?.failures ?? 0) + 1;
    this.troubles.set(lookup, { ...trouble, failures, at: performance.now() });
  }

  /** Forgets refusals of our key: the provider accepts it again. */
  clearKeyTrouble(): void {
    for (const [lookup, { detail }] of this.troubles) if (detail === NO_KEY) this.troubles.delete(lookup);
  }

  /** Paybell retries the list of chains until it succeeds. Then the failures of other lookups were the same trouble. */
  private recordSuccess(lookup: Lookup): void {
    const isListReadAgain = lookup === 'chains' && this.troubles.has('chains');
    if (isListReadAgain) this.troubles.clear();
    else this.troubles.delete(lookup);
    this.hasWorked = true;
    this.failures = 0;
  }
}

function troubleOf(
  lookup: Lookup,
  failure: unknown,
): Pick<Trouble, 'detail' | 'isLasting'> | 'none' | 'not the provider' {
  if (failure instanceof ProviderCredentials) return { detail: NO_KEY, isLasting: true };
  if (failure instanceof ProviderMisconfigured) return { detail: NO_API, isLasting: true };
  if (failure instanceof ProviderUnavailable)
    return { detail: `${WORDS[lookup]}: ${failure.reason}`, isLasting: false };
  // A request for all chains has nothing to refuse: a refusal is the provider's failure.
  if (failure instanceof ProviderRefused && lookup === 'chains')
    return { detail: `${WORDS.chains}: status ${failure.httpStatus}`, isLasting: false };
  return failure === null || failure instanceof ProviderRefused ? 'none' : 'not the provider';
}
