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

/** How long a head is shared by the inspections that need one. */
const LATEST_MS = 2_000;
/** A final block stays final: an older one only delays what depends on it. */
const FINALIZED_MS = 8_000;
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
  private latest: At<ShownBlock> | null = null;
  private finalized: At<ShownBlock | null | 'unknown_tag'> | null = null;
  private range: At<number> | null = null;
  private spacing: At<number> | null = null;

  constructor(
    private readonly rpc: Rpc,
    readonly needed: number,
    private readonly timers: Timers,
  ) {}

  get host(): string {
    return this.rpc.host;
  }

  get ask(): Rpc['ask'] {
    return this.rpc.ask.bind(this.rpc);
  }

  /** The head, and the answer to a question that goes with it in one request. */
  async withHead<T>(question: Question<T>): Promise<{ readonly head: ChainHead; readonly answer: T }> {
    const stale = this.staleHeads();
    const [answer, ...heads] = await this.rpc.ask(question, ...stale);
    return { head: this.keep(stale, heads), answer };
  }

  async readHead(): Promise<ChainHead> {
    const stale = this.staleHeads();
    return this.keep(stale, stale.length === 0 ? [] : await this.rpc.ask(...stale));
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

  private staleHeads(): (typeof LATEST | typeof FINALIZED)[] {
    const now = this.timers.nowMs();
    const isStale = (kept: At<unknown> | null, ms: number): boolean => kept === null || now - kept.atMs >= ms;
    const finalizedMs = this.finalized?.value === 'unknown_tag' ? TAG_UNKNOWN_MS : FINALIZED_MS;
    return [
      ...(isStale(this.latest, LATEST_MS) ? [LATEST] : []),
      ...(isStale(this.finalized, finalizedMs) ? [FINALIZED] : []),
    ];
  }

  private keep(
    asked: readonly unknown[],
    answers: readonly (ShownBlock | null | 'unknown_tag')[],
  ): ChainHead {
    const atMs = this.timers.nowMs();
    for (const [at, question] of asked.entries()) {
      const value = answers[at] ?? null;
      if (question === FINALIZED) this.finalized = { value, atMs };
      else if (value !== null && value !== 'unknown_tag') this.latest = { value, atMs };
    }
    return this.head();
  }

  private head(): ChainHead {
    const latest = this.latest?.value;
    const finalized = this.finalized?.value ?? null;
    if (latest === undefined) throw new RpcTrouble('rpc_error', 'has no head', LAGS_AGAIN_MS);
    if (finalized === 'unknown_tag') return { latest, final: Math.max(latest.number - this.needed + 1, 0) };
    // Behind a balancer the two may come from different nodes.
    const newest = finalized !== null && finalized.number > latest.number ? finalized : latest;
    return { latest: newest, final: finalized?.number ?? null };
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
