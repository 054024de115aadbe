import type { ChainHead, ShownBlock, ShownTransfer, ShownReceipt } from '../../domain/proof/shown.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Timers } from '../../ports/timers.ts';
import { LogSearch } from './log-search.ts';
import { NodeHeads } from './node-heads.ts';
import { blockAt, type BlockRange, type TransferFilter } from './questions.ts';
import type { Question } from '../rpc/json-rpc.ts';
import type { ReaderOptions } from '../rpc/chain-adapter.ts';
import type { CoinReader } from './native-coin.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { RpcTrouble, stuck } from '../rpc/rpc-trouble.ts';

const LAGS_AGAIN_MS = 5_000;
/** A head older than this, and than ten blocks of its chain, has stopped. */
const LEAST_STUCK_MS = 120_000;
const STUCK_BLOCKS = 10;
/** How many blocks back from the head the time of one block is measured. */
const SAMPLE_BLOCKS = 2_000;
const SPACING_KNOWN_MS = 3_600_000;

/** Answers inspections through one RPC, and keeps answers that cannot change. */
export class EvmNode {
  readonly host: string;
  readonly needed: number;
  readonly ask: Rpc['ask'];
  readonly checkChain: () => Promise<void>;
  readonly waiting: WaitingReceipts;
  readonly coin: CoinReader;
  /** When the node's head was last found to be up to date. */
  movingAtMs = -Infinity;
  private readonly heads: NodeHeads;
  private readonly logs: LogSearch;
  /** A separate search: an RPC that refuses several tokens at once may accept long ranges of one token. */
  private readonly logsOfSeveral: LogSearch;
  private readonly clock: Clock;
  private readonly timers: Timers;
  private spacing: { readonly ms: number; readonly atMs: number } | null = null;

  constructor(rpc: Rpc, coin: CoinReader, { host, needed, clock, timers, onUnknownTag }: ReaderOptions) {
    this.coin = coin;
    this.host = host;
    this.needed = needed;
    this.clock = clock;
    this.timers = timers;
    this.ask = rpc.ask.bind(rpc);
    this.checkChain = rpc.checkChain.bind(rpc);
    this.waiting = new WaitingReceipts(timers);
    this.heads = new NodeHeads(this.ask, needed, clock, timers, onUnknownTag);
    this.logs = new LogSearch(this.ask, needed, timers);
    this.logsOfSeveral = new LogSearch(this.ask, needed, timers);
  }

  /** Reads the head, and asks a question in the same request. The head has the cached final block. */
  async withHead<T>(question: Question<T>): Promise<{ readonly head: ChainHead; readonly answer: T }> {
    const answered = await this.heads.withHead(question);
    await this.checkMoving(answered.head);
    return answered;
  }

  /** The head with its newest final block. */
  async readHead(): Promise<ChainHead> {
    const head = await this.heads.read();
    await this.checkMoving(head);
    return head;
  }

  /** The head. Reads its final block anew if a block of this number may be final by now but is not by the cached one. */
  headFor(number: number, head: ChainHead): Promise<ChainHead> {
    return this.heads.headFor(number, head);
  }

  /** The usual time between two blocks, measured once an hour. */
  async blockMs({ latest }: Pick<ChainHead, 'latest'>): Promise<number> {
    const now = this.timers.nowMs();
    if (this.spacing === null || now - this.spacing.atMs > SPACING_KNOWN_MS) {
      const older = await this.blockAt(Math.max(latest.number - SAMPLE_BLOCKS, 0));
      const passedMs = latest.at.getTime() - older.at.getTime();
      this.spacing = { ms: Math.max(passedMs / Math.max(latest.number - older.number, 1), 1), atMs: now };
    }
    return this.spacing.ms;
  }

  /** The block with a number that is not above the head. */
  async blockAt(number: number): Promise<ShownBlock> {
    const [block] = await this.ask(blockAt(number));
    return present(block);
  }

  /** Throws RpcTrouble if the head has not moved for longer than this chain's blocks take. */
  private async checkMoving({ latest }: ChainHead): Promise<void> {
    const ageMs = this.clock.now().getTime() - latest.at.getTime();
    if (ageMs > LEAST_STUCK_MS && ageMs > STUCK_BLOCKS * (await this.blockMs({ latest })))
      throw stuck(`is stuck at block ${latest.number} of ${latest.at.toISOString()}`);
    this.movingAtMs = this.timers.nowMs();
  }

  /** Transfers in a range, the oldest first. A search that takes too many calls continues later where it stopped. */
  transfersIn(filter: TransferFilter, range: BlockRange): Promise<ShownTransfer[]> {
    return (Array.isArray(filter.token) ? this.logsOfSeveral : this.logs).find(filter, range);
  }
}

/** Null comes from a node that lags behind another node, or that has dropped the block. */
function present(block: ShownBlock | null): ShownBlock {
  if (block === null) throw new RpcTrouble('rpc_error', 'lacks a block below its head', LAGS_AGAIN_MS);
  return block;
}

const KEPT_MS = 300_000;
const MOST = 1_000;

interface Kept {
  readonly receipt: ShownReceipt;
  readonly atMs: number;
}

/** Receipts whose blocks were too young when an RPC returned them. */
class WaitingReceipts {
  private readonly kept = new Map<string, Kept>();

  constructor(private readonly timers: Timers) {}

  add(receipt: ShownReceipt): void {
    this.kept.delete(receipt.txHash);
    this.kept.set(receipt.txHash, { receipt: { ...receipt, logged: '' }, atMs: this.timers.nowMs() });
    const [oldest] = this.kept.keys();
    if (this.kept.size > MOST && oldest !== undefined) this.kept.delete(oldest);
  }

  /** Null: there is none, or it is too old. */
  find(txHash: string): ShownReceipt | null {
    const kept = this.kept.get(txHash);
    return kept === undefined || this.timers.nowMs() - kept.atMs >= KEPT_MS ? null : kept.receipt;
  }
}
