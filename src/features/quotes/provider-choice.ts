import { Injectable } from '@nestjs/common';

import { compareAmounts } from '../../domain/payment/amount.ts';
import type { QuoteRequest } from '../../domain/payment/quote.ts';
import { InvalidField } from '../../platform/http/invalid-field.ts';
import { within } from '../../platform/scheduling/within.ts';
import { ProviderRefused } from '../../ports/payment-provider.ts';
import { type ProviderCell, ProviderCells } from '../../ports/provider-cell.ts';
import { Timers } from '../../ports/timers.ts';
import { AgreedDecimals } from './agreed-decimals.ts';
import { ChainLists } from './chain-lists.ts';
import { MonitoredQuoting, pauseIfTooMany } from './monitored-quoting.ts';
import { QuotesSettings } from './quotes.settings.ts';

/** Estimates that take longer than this share of a quote's time are not awaited, since the quote itself comes after them. */
const ESTIMATING = 0.4;

/** Chooses which providers to ask for a quote. */
@Injectable()
export class ProviderChoice {
  constructor(
    private readonly cells: ProviderCells,
    private readonly chains: ChainLists,
    private readonly agreed: AgreedDecimals,
    private readonly quoting: MonitoredQuoting,
    private readonly timers: Timers,
    private readonly settings: QuotesSettings,
  ) {}

  /**
   * The providers that may make the quote, in the order in which to ask them; not empty. `named`: the only provider that may.
   * Throws InvalidField for an unknown name, and ProviderRefused when no provider can make such a quote, or none is right
   * about its tokens.
   */
  async of(request: QuoteRequest, named: string | null): Promise<readonly ProviderCell[]> {
    const able = this.ableTo(request, named === null ? this.cells.asked : [this.cellOf(named)]);
    if (this.cells.asked.length === 1) return able;
    const onRoute = able.length === 1 ? able : this.onRoute(request, able);
    const right = await this.agreed.among(request, onRoute);
    if (right.length === 1) return right;
    const wellFirst = await this.wellFirst(right);
    return this.settings.asksForBest && request.amountIs !== 'receive'
      ? this.bestFirst(request, wellFirst)
      : [...wellFirst.well, ...wellFirst.failing];
  }

  private cellOf(name: string): ProviderCell {
    const { asked } = this.cells;
    const found = asked.find(({ provider }) => provider.name === name);
    if (found === undefined) throw new InvalidField('provider', `must be one of: ${namesOf(asked)}`);
    return found;
  }

  private ableTo({ amountIs }: QuoteRequest, cells: readonly ProviderCell[]): readonly ProviderCell[] {
    if (amountIs !== 'receive') return cells;
    const able = cells.filter(deliversExactAmounts);
    if (able.length > 0) return able;
    const others = this.cells.asked.filter(deliversExactAmounts);
    const who = others.length === 0 ? 'none of the providers in use can' : `these can: ${namesOf(others)}`;
    throw new ProviderRefused(422, `${namesOf(cells)} cannot deliver an exact amount; ${who}`, 'amountIs');
  }

  private onRoute(
    { fromChainId, toChainId }: QuoteRequest,
    cells: readonly ProviderCell[],
  ): readonly ProviderCell[] {
    const onRoute = cells.filter(({ provider }) =>
      [fromChainId, toChainId].every((chainId) => this.chains.supports(provider.name, chainId) !== false),
    );
    if (onRoute.length > 0) return onRoute;
    throw new ProviderRefused(422, 'no provider has both chains', 'toChainId');
  }

  private async wellFirst(
    cells: readonly ProviderCell[],
  ): Promise<{ readonly well: readonly ProviderCell[]; readonly failing: readonly ProviderCell[] }> {
    const failing = new Set<ProviderCell>();
    await Promise.all(
      cells.map(async (cell) => {
        if (await cell.health.isFailing()) failing.add(cell);
      }),
    );
    return {
      well: cells.filter((cell) => !failing.has(cell)),
      failing: cells.filter((cell) => failing.has(cell)),
    };
  }

  /** Providers with an estimate come first, the largest amount at the beginning. */
  private async bestFirst(
    request: QuoteRequest,
    { well, failing }: { readonly well: readonly ProviderCell[]; readonly failing: readonly ProviderCell[] },
  ): Promise<readonly ProviderCell[]> {
    const limitMs = this.settings.timeoutMs * ESTIMATING;
    const estimates = await Promise.all(
      well.map(async (cell) => ({ cell, amount: await this.estimate(cell, request, limitMs) })),
    );
    const [priced, others] = [estimates.filter(isPriced), estimates.filter((each) => !isPriced(each))];
    const best = priced.toSorted((a, b) => compareAmounts(b.amount, a.amount));
    return [...[...best, ...others].map(({ cell }) => cell), ...failing];
  }

  /** Null: the provider gives no estimate in time, or refuses. */
  private async estimate(cell: ProviderCell, request: QuoteRequest, limitMs: number): Promise<string | null> {
    try {
      return await within(limitMs, this.timers, this.estimateOf(cell, request));
    } catch {
      return null;
    }
  }

  /** An estimate counts as a quote: at the provider, for its limit, and for its health. */
  private async estimateOf(cell: ProviderCell, request: QuoteRequest): Promise<string | null> {
    const { provider, quoteBudget, health } = cell;
    await provider.checkQuote(request);
    await quoteBudget.takeQuote();
    try {
      const amount = await provider.estimateReceived(request);
      if (amount !== null) health.recordQuoting('quote', null);
      return amount;
    } catch (error) {
      health.recordQuoting('quote', error);
      this.quoting.reportUnfit(cell, error);
      throw await pauseIfTooMany(cell, error);
    }
  }
}

interface Priced {
  readonly cell: ProviderCell;
  readonly amount: string;
}

function isPriced(estimate: {
  readonly cell: ProviderCell;
  readonly amount: string | null;
}): estimate is Priced {
  return estimate.amount !== null;
}

function deliversExactAmounts({ provider }: ProviderCell): boolean {
  return provider.deliversExactAmounts;
}

function namesOf(cells: readonly ProviderCell[]): string {
  return cells.map(({ provider }) => provider.name).join(', ');
}
