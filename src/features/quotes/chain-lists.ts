import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';

import { ProviderCells } from '../../ports/provider-cell.ts';
import { Timers } from '../../ports/timers.ts';
import { Loop } from '../../platform/scheduling/loop.ts';
import { answersWithin, mergeEntries } from './merge-answers.ts';
import { ChainList } from './chain-list.ts';
import { QuotesSettings } from './quotes.settings.ts';

/** The chains of all providers. Each provider has a list of its own: a provider that is down or slow keeps its last list. */
@Injectable()
export class ChainLists {
  /** In the order of preference. */
  readonly all: readonly ChainList[];

  constructor(
    cells: ProviderCells,
    timers: Timers,
    private readonly settings: QuotesSettings,
  ) {
    this.all = cells.asked.map((cell) => new ChainList(cell, timers));
  }

  of(provider: string): ChainList {
    const found = this.all.find((list) => list.provider === provider);
    if (found === undefined) throw new Error(`The payment provider "${provider}" is not configured.`);
    return found;
  }

  /** Whether a provider has a chain, by its last list; null: not known. Asks no provider. */
  supports(provider: string, chainId: number): boolean | null {
    return this.of(provider).supports(chainId);
  }

  /**
   * The list of the only provider verbatim, or the merged list. Throws the preferred provider's error when no list is known.
   */
  async text(): Promise<string> {
    const [first, ...others] = this.all;
    if (first !== undefined && others.length === 0) return first.text();
    return mergeEntries('chains', await this.lastLists());
  }

  /**
   * The ids of all chains; null when a provider's are not known: that provider then checks the chain itself. Never throws.
   */
  async ids(): Promise<ReadonlySet<number> | null> {
    const [first, ...others] = this.all;
    if (first !== undefined && others.length === 0) return first.ids();
    // A list that is missing while others are known is read repeatedly: no quote waits for it.
    if (this.all.every(({ last }) => last === null)) {
      if (this.all.every((list) => list.hasJustFailed())) return null;
      await this.lastLists().catch(() => undefined);
    }
    const ids = this.all.map(({ last }) => last?.ids ?? null);
    return ids.includes(null) ? null : new Set(ids.flatMap((some) => [...(some ?? [])]));
  }

  /** The last known lists; waits for a first read that has not failed yet, for a bounded time if other lists are known. */
  private async lastLists(): Promise<{ provider: string; text: string }[]> {
    const isOneKnown = this.all.some(({ last }) => last !== null);
    const asked = this.all.filter((list) => list.last !== null || !isOneKnown || !list.isFailing);
    const answers = asked.map(async (list) => {
      const { text } = list.last ?? (await list.readOrStale());
      return { provider: list.provider, text };
    });
    const known = await answersWithin(answers, this.settings.laggardWaitMs);
    return known.filter((answer) => answer !== null);
  }
}

/** Refreshes the lists of chains from the start on: Paybell thus notices a failing provider before the first request. */
@Injectable()
export class ChainListRefresher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly loops: readonly Loop[];

  constructor(private readonly chains: ChainLists) {
    this.loops = chains.all.map(
      (list) => new Loop(`the list of chains of ${list.provider}`, list.readRequested, () => list.refresh()),
    );
  }

  onApplicationBootstrap(): void {
    for (const loop of this.loops) loop.start();
  }

  /** Does not wait for the providers, since their answers would not be used. */
  beforeApplicationShutdown(): void {
    for (const list of this.chains.all) list.stop();
    for (const loop of this.loops) void loop.stop();
  }
}
