import type { ShownTransfer } from '../../domain/proof/shown.ts';
import type { Timers } from '../../ports/timers.ts';
import { type BlockRange, type TransferFilter, transfersIn } from './questions.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { RpcTrouble } from '../rpc/rpc-trouble.ts';

/** The most calls of one search. */
const MOST_CALLS = 20;
const AGAIN_MS = 60_000;
/** How long a range that an RPC refused is not tried again. */
const REFUSED_KNOWN_MS = 600_000;
/**
 * The most waiting searches, gaps in one search, transfers that one search keeps, and transfers that all keep: beyond these, a
 * search begins anew.
 */
const MOST_WAITING = 200;
const MOST_GAPS = 16;
const MOST_KEPT = 5_000;
const MOST_KEPT_IN_ALL = 20_000;

/** A search that has not finished. */
interface Search {
  /** The blocks to search. */
  readonly whole: BlockRange;
  /** The blocks that are not searched yet, the newest first. */
  readonly gaps: readonly BlockRange[];
  readonly found: readonly ShownTransfer[];
}

/**
 * Searches the logs of one RPC in ranges that it accepts, the newest blocks first. An interrupted search continues where it
 * stopped.
 */
export class LogSearch {
  private readonly waiting = new Map<string, Search>();
  /** The longest range to request, in blocks. */
  private longest = Infinity;
  private refused: { readonly blocks: number; readonly atMs: number } | null = null;

  constructor(
    private readonly ask: Rpc['ask'],
    /** The number of blocks below the head that the chain may still replace, and that are searched again. */
    private readonly unsettled: number,
    private readonly timers: Timers,
  ) {}

  /** The transfers in a range, the oldest first. Throws RpcTrouble if one search needs more calls than it may make. */
  async find(filter: TransferFilter, range: BlockRange): Promise<ShownTransfer[]> {
    const key = JSON.stringify(filter).toLowerCase();
    let search = this.begin(this.waiting.get(key), range);
    this.waiting.delete(key);
    try {
      for (let calls = 0; calls < MOST_CALLS && isOpen(search, range); calls += 1)
        search = await this.goOn(search, filter, range);
    } finally {
      this.keep(key, search);
    }
    if (isOpen(search, range))
      throw new RpcTrouble('rpc_error', 'answers about too few blocks at once', AGAIN_MS);
    return search.found
      .filter(({ blockNumber }) => blockNumber >= range.from && blockNumber <= range.to)
      .toSorted((one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex);
  }

  private begin(kept: Search | undefined, { from, to }: BlockRange): Search {
    const settled = (kept?.whole.to ?? 0) - this.unsettled;
    if (kept === undefined || settled < kept.whole.from || kept.gaps.length > MOST_GAPS)
      return { whole: { from, to }, gaps: [{ from, to }], found: [] };
    const gaps = [
      { from: settled + 1, to },
      ...kept.gaps.map((gap) => ({ from: gap.from, to: Math.min(gap.to, settled) })),
      { from, to: kept.whole.from - 1 },
    ];
    return {
      whole: { from: Math.min(from, kept.whole.from), to: Math.max(to, settled) },
      gaps: gaps.filter((gap) => gap.from <= gap.to),
      found: kept.found.filter(({ blockNumber }) => blockNumber <= settled),
    };
  }

  /** Searches the newest of the remaining blocks. */
  private async goOn(search: Search, filter: TransferFilter, { from }: BlockRange): Promise<Search> {
    const [gap, ...gaps] = search.gaps as [BlockRange, ...BlockRange[]];
    const asked = { from: Math.max(gap.from, from, gap.to - this.longest + 1), to: gap.to };
    const [transfers] = await this.ask(transfersIn(filter, asked));
    if (transfers === 'refused') {
      this.halve(asked.to - asked.from + 1);
      return search;
    }
    this.grow(asked.to - asked.from + 1);
    const left = asked.from > gap.from ? [{ from: gap.from, to: asked.from - 1 }] : [];
    return { ...search, gaps: [...left, ...gaps], found: [...search.found, ...transfers] };
  }

  private halve(blocks: number): void {
    if (blocks === 1) throw new RpcTrouble('rpc_error', 'refuses the logs of a single block', AGAIN_MS);
    this.longest = Math.ceil(blocks / 2);
    this.refused = { blocks, atMs: this.timers.nowMs() };
  }

  /** Doubles the range, up to the refused one, which is tried again after a while. */
  private grow(blocks: number): void {
    if (blocks < this.longest) return;
    const isKnown = this.refused !== null && this.timers.nowMs() - this.refused.atMs < REFUSED_KNOWN_MS;
    if (!isKnown || 2 * blocks < (this.refused?.blocks ?? 0)) this.longest = 2 * blocks;
  }

  private keep(key: string, search: Search): void {
    const { whole, gaps, found } = search;
    const hasBegun = gaps.length > 1 || gaps[0]?.from !== whole.from || gaps[0].to !== whole.to;
    if (gaps.length === 0 || !hasBegun || found.length > MOST_KEPT) return;
    this.waiting.set(key, search);
    let kept = [...this.waiting.values()].reduce((sum, each) => sum + each.found.length, 0);
    for (const [oldest, { found: transfers }] of this.waiting) {
      if (this.waiting.size <= MOST_WAITING && kept <= MOST_KEPT_IN_ALL) return;
      this.waiting.delete(oldest);
      kept -= transfers.length;
    }
  }
}

/** A search begun for another payment may still have gaps below this range. */
function isOpen({ gaps: [newest] }: Search, { from }: BlockRange): boolean {
  return newest !== undefined && newest.to >= from;
}
