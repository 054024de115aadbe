import { FINAL_SHARED_MS } from '../../domain/proof/ask-again.ts';
import type { ChainHead, ShownBlock, ShownTransfer } from '../../domain/proof/shown.ts';
import type { Timers } from '../../ports/timers.ts';
import {
  blockAt,
  type BlockRange,
  FINALIZED,
  LATEST,
  type Question,
  type TransferFilter,
  transfersIn,
} from './questions.ts';
import type { Rpc } from './rpc.ts';
import { RpcTrouble } from './rpc-trouble.ts';
import { WaitingReceipts } from './waiting-receipts.ts';

/** Heads only grow: a kept head understates how deep a block is, which delays a proof and makes none. */
const LATEST_MS = 2_000;
const TAG_UNKNOWN_MS = 3_600_000;
const LAGS_AGAIN_MS = 5_000;
/** The most calls of one search. */
const MOST_LOG_CALLS = 20;
const SEARCH_AGAIN_MS = 60_000;
/** Blocks back from the head by which the time of one block is measured. */
const SAMPLE_BLOCKS = 2_000;
const SPACING_KNOWN_MS = 3_600_000;
/** How long it is known which range of blocks an RPC refuses. */
const RANGE_KNOWN_MS = 3_600_000;

interface At<T> {
  readonly value: T;
  readonly atMs: number;
}

/** Answers inspections by one RPC, and keeps the answers that may be kept between them. */
export class EvmNode {
  readonly waiting: WaitingReceipts;
  private latest: At<ShownBlock> | null = null;
  private finalized: (At<ShownBlock | null | 'unknown_tag'> & { readonly lag: number }) | null = null;
  private range: At<number> | null = null;
  private spacing: At<number> | null = null;

  constructor(
    private readonly rpc: Rpc,
    readonly needed: number,
    private readonly timers: Timers,
  ) {
    this.waiting = new WaitingReceipts(timers);
  }

  get host(): string {
    return this.rpc.host;
  }

  get ask(): Rpc['ask'] {
    return this.rpc.ask.bind(this.rpc);
  }

  /** The head, and the answer to a question that goes with it in one request. Its final block is the one that is kept. */
  async withHead<T>(question: Question<T>): Promise<{ readonly head: ChainHead; readonly answer: T }> {
    const stale = [
      ...(this.isLatestStale() ? [LATEST] : []),
      ...(this.finalized === null ? [FINALIZED] : []),
    ];
    const [answer, ...heads] = await this.rpc.ask(question, ...stale);
    return { head: this.keep(stale, heads), answer };
  }

  /** The head with its newest final block. */
  async readHead(): Promise<ChainHead> {
    const stale = [
      ...(this.isLatestStale() ? [LATEST] : []),
      ...(this.isFinalizedStale() ? [FINALIZED] : []),
    ];
    return this.keep(stale, stale.length === 0 ? [] : await this.rpc.ask(...stale));
  }

  /** The head, whose final block is asked for anew where a block of this number may be final by now, and is not by the one kept. */
  async headFor(number: number, head: ChainHead): Promise<ChainHead> {
    return this.mayBeFinal(number) ? this.readHead() : head;
  }

  /** The usual time between two blocks, measured once an hour. */
  async blockMs({ latest }: ChainHead): Promise<number> {
    const now = this.timers.nowMs();
    if (this.spacing === null || now - this.spacing.atMs > SPACING_KNOWN_MS) {
      const older = await this.blockAt(Math.max(latest.number - SAMPLE_BLOCKS, 0));
      const passedMs = latest.at.getTime() - older.at.getTime();
      this.spacing = { value: Math.max(passedMs / Math.max(latest.number - older.number, 1), 1), atMs: now };
    }
    return this.spacing.value;
  }

  /** The block of a number that the head has. */
  async blockAt(number: number): Promise<ShownBlock> {
    const [block] = await this.rpc.ask(blockAt(number));
    return present(block);
  }

  /** Transfers in a range, which is halved as often as the RPC refuses it. */
  async transfersIn(filter: TransferFilter, { from, to }: BlockRange): Promise<ShownTransfer[]> {
    const found: ShownTransfer[] = [];
    let next = from;
    for (let calls = 0; calls < MOST_LOG_CALLS; calls += 1) {
      const range = { from: next, to: Math.min(to, next + this.longestRange() - 1) };
      const [transfers] = await this.rpc.ask(transfersIn(filter, range));
      if (transfers === 'refused') this.halve(range);
      else {
        found.push(...transfers);
        next = range.to + 1;
      }
      if (next > to) return found;
    }
    throw new RpcTrouble('rpc_error', 'answers about too few blocks at once', SEARCH_AGAIN_MS);
  }

  private isLatestStale(): boolean {
    return this.latest === null || this.timers.nowMs() - this.latest.atMs >= LATEST_MS;
  }

  private isFinalizedStale(): boolean {
    const { finalized } = this;
    const keptMs = finalized?.value === 'unknown_tag' ? TAG_UNKNOWN_MS : FINAL_SHARED_MS;
    return finalized === null || this.timers.nowMs() - finalized.atMs >= keptMs;
  }

  /** A block that is less deep than the final one was when it was asked for is not worth a call. */
  private mayBeFinal(number: number): boolean {
    const { finalized, latest } = this;
    if (finalized === null || latest === null || finalized.value === null) return true;
    if (finalized.value === 'unknown_tag') return this.isFinalizedStale();
    return finalized.value.number < number && latest.value.number - number >= finalized.lag;
  }

  private keep(
    asked: readonly unknown[],
    answers: readonly (ShownBlock | null | 'unknown_tag')[],
  ): ChainHead {
    const atMs = this.timers.nowMs();
    for (const [at, question] of asked.entries()) {
      const value = answers[at] ?? null;
      if (question === FINALIZED) this.finalized = { value, atMs, lag: this.lagOf(value) };
      else if (value !== null && value !== 'unknown_tag') this.latest = { value, atMs };
    }
    return this.head();
  }

  private lagOf(finalized: ShownBlock | null | 'unknown_tag'): number {
    if (finalized === null || finalized === 'unknown_tag' || this.latest === null) return 0;
    return Math.max(this.latest.value.number - finalized.number, 0);
  }

  private head(): ChainHead {
    const latest = this.latest?.value;
    const finalized = this.finalized?.value ?? null;
    if (latest === undefined) throw new RpcTrouble('rpc_error', 'has no head', LAGS_AGAIN_MS);
    if (finalized === 'unknown_tag') return { latest, final: Math.max(latest.number - this.needed + 1, 0) };
    // Behind a balancer the two may come from different nodes.
    const newest = finalized !== null && finalized.number > latest.number ? finalized : latest;
    return { latest: newest, final: finalized?.number ?? null, finalLag: this.finalized?.lag ?? 0 };
  }

  private longestRange(): number {
    if (this.range !== null && this.timers.nowMs() - this.range.atMs > RANGE_KNOWN_MS) this.range = null;
    return this.range?.value ?? Infinity;
  }

  private halve({ from, to }: BlockRange): void {
    const blocks = to - from + 1;
    if (blocks === 1) throw new RpcTrouble('rpc_error', 'answers an error to eth_getLogs', SEARCH_AGAIN_MS);
    this.range = { value: Math.ceil(blocks / 2), atMs: this.timers.nowMs() };
  }
}

/** Null is the answer of a node that is behind another one, or that has dropped the block. */
export function present(block: ShownBlock | null): ShownBlock {
  if (block === null) throw new RpcTrouble('rpc_error', 'lacks a block below its head', LAGS_AGAIN_MS);
  return block;
}
