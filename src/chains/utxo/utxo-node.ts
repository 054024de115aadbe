import { rulesOf } from '../../domain/chains/chain-kinds.ts';
import type { ChainHead, ShownBlock } from '../../domain/proof/shown.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import type { ReaderOptions } from '../rpc/chain-adapter.ts';
import { RpcTrouble, stuck } from '../rpc/rpc-trouble.ts';
import { isCoinbase, type Mined } from './match-outputs.ts';
import type { UtxoApi } from './utxo-api.ts';
import type { UtxoChain } from './utxo-chains.ts';

const WRONG_AGAIN_MS = 60_000;
/** Heads only grow. So a cached head understates the depth of a block, which delays a proof but makes no false one. */
const LATEST_MS = 2_000;
/** A head has stopped when it is older than these usual blocks take, and than the error of a clock of a block. */
const STUCK_BLOCKS = 18;
/** Nodes refuse a block two hours ahead of their clock, which may itself be ahead. */
const MOST_AHEAD_MS = 14_400_000;
/** The most pages of one search; a server has at least ten transactions on each. */
const MOST_PAGES = 20;

export interface History {
  /** In blocks, the newest first. */
  readonly transactions: readonly Mined[];
  /** False: there may be older ones since that time. */
  readonly isWhole: boolean;
}

/** Reads a chain through one server, and checks that it is on this chain and moves. */
export class UtxoNode {
  readonly host: string;
  readonly needed: number;
  /** When the node's head was last found to be up to date. */
  movingAtMs = -Infinity;
  /** The head that the server had when it was last found to be on this chain. */
  private knownHead: ShownBlock | null = null;
  /** Inspections at the same time share it. */
  private readonly heads = new SharedWork<ShownBlock>();
  private latest: { readonly block: ShownBlock; readonly atMs: number } | null = null;

  constructor(
    readonly api: UtxoApi,
    readonly chain: UtxoChain,
    private readonly options: ReaderOptions,
  ) {
    this.host = options.host;
    this.needed = options.needed;
  }

  async readHead(): Promise<ChainHead> {
    const latest = await this.heads.run('', () => this.readLatest());
    const { clock, timers, chainId } = this.options;
    const ageMs = clock.now().getTime() - latest.at.getTime();
    const { clockToleranceMs, blockMs } = rulesOf(chainId);
    const block = `block ${latest.number} of ${latest.at.toISOString()}`;
    if (ageMs < -MOST_AHEAD_MS) throw stuck(`has a head that cannot be: ${block}`);
    if (ageMs > clockToleranceMs + STUCK_BLOCKS * blockMs) throw stuck(`is stuck at ${block}`);
    this.movingAtMs = timers.nowMs();
    return this.headWith(latest, this.finalAfter);
  }

  /** Asks for the blocks by which the chain is recognised. */
  async checkChain(): Promise<void> {
    const { chainId } = this.options;
    this.knownHead = null;
    for (const { number, hash } of this.chain.blocks) {
      const shown = await this.api.blockHashAt(number);
      if (shown === hash) continue;
      if (shown === null)
        throw new RpcTrouble(
          'rpc_error',
          `does not show block ${number} of chain ${chainId}`,
          WRONG_AGAIN_MS,
        );
      throw new RpcTrouble(
        'wrong_chain',
        `is not on chain ${chainId}: its block ${number} is another one`,
        WRONG_AGAIN_MS,
      );
    }
  }

  /** The depth that a transaction needs, and the head as it counts for it: new coins mature late. */
  depthFor(transaction: Mined, head: ChainHead): { readonly needed: number; readonly head: ChainHead } {
    if (!isCoinbase(transaction)) return { needed: this.needed, head };
    const needed = Math.max(this.needed, this.chain.coinbaseAfter);
    return { needed, head: this.headWith(head.latest, Math.max(this.finalAfter, needed)) };
  }

  /** The block that now has this number; the time is that of the transaction that named the block. */
  async blockAt({ number, at }: Pick<ShownBlock, 'number' | 'at'>): Promise<ShownBlock> {
    return { number, hash: (await this.api.blockHashAt(number)) ?? '', at };
  }

  /** The transactions in blocks that pay a script, or that it pays, since a time. */
  async historyOf(script: string, since: Date): Promise<History> {
    // Of two blocks the newer one may have the older time.
    const fromMs = since.getTime() - 2 * rulesOf(this.options.chainId).clockToleranceMs;
    const found = new Map<string, Mined>();
    let next: string | null = null;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const { transactions, next: following } = await this.api.historyOf(script, next);
      const mined = transactions.filter((each): each is Mined => each.block !== null);
      const before = found.size;
      for (const each of mined) found.set(each.txHash, each);
      const isOlder = mined.some(({ block }) => block.at.getTime() < fromMs);
      // A server that repeats a page has no further one.
      if (following === null || isOlder || found.size === before)
        return { transactions: [...found.values()], isWhole: true };
      next = following;
    }
    return { transactions: [...found.values()], isWhole: false };
  }

  private get finalAfter(): number {
    return Math.max(this.chain.finalAfter, this.needed);
  }

  private headWith(latest: ShownBlock, finalAfter: number): ChainHead {
    const final = latest.number - finalAfter + 1;
    return { latest, final: final < 0 ? null : final, finalLag: finalAfter - 1 };
  }

  private async readLatest(): Promise<ShownBlock> {
    const now = this.options.timers.nowMs();
    if (this.latest === null || now - this.latest.atMs >= LATEST_MS)
      this.latest = { block: await this.api.head(), atMs: now };
    const { block } = this.latest;
    // A server that changes its chain shows another head.
    if (this.knownHead?.number !== block.number || this.knownHead.hash !== block.hash) {
      await this.checkChain();
      this.knownHead = block;
    }
    return block;
  }
}
