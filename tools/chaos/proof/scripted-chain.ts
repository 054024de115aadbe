import { randomBytes } from 'node:crypto';

import { quoteRequest } from '../../testkit/provider-objects.ts';

export const CHAIN_ID = 8_453;
/** The blocks that a proof waits for: a fork takes back more. */
export const CONFIRMATIONS = 6;
const FINAL_BLOCKS = 20;
const FORKED_BLOCKS = 16;
const BLOCK_MS = 500;
const FIRST_BLOCK = 10_000;

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const USDC = String(quoteRequest()['toToken']);
const OTHER_TOKEN = `0x${'0c'.repeat(20)}`;
const OTHER_RECIPIENT = `0x${'0d'.repeat(20)}`;
/** The estimate in the provider's quotes, in units of USDC. */
const PROMISED = 124_850_000n;

/** The effect of a transaction: it pays in full, or it is a lie, named by its contradiction. */
export type Deed = 'paid' | 'other_recipient' | 'amount_short' | 'other_token' | 'output_reverted';

/** The transaction that the chain gets when a provider reports COMPLETED. */
export interface Payout {
  /** Null: no transaction ever. */
  readonly deed: Deed | null;
  /** The report names a hash. */
  readonly isNamed: boolean;
  readonly afterBlocks: number;
}

export interface Payee {
  readonly quoteId: string;
  readonly recipient: string;
}

export interface Transaction extends Payee {
  readonly hash: string;
  readonly deed: Deed;
  /** The block that mines the transaction first, and the number of forks by then. */
  readonly block: number;
  readonly forks: number;
}

/** How an RPC sees the chain. */
export interface View {
  /** The number of forks that the RPC knows: without the newest one it stays on the abandoned branch. */
  readonly forks: number;
  /** Blocks behind the head. */
  readonly lag: number;
  /** True for a transaction that the RPC lies about: it is paid where it is not, and reverted where it is paid. */
  readonly isTurned: (transaction: Transaction) => boolean;
}

export interface RpcCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

interface LogFilter {
  readonly address?: string;
  readonly topics: readonly (string | null)[];
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
}

/** An EVM chain that mines by the clock. A fork may replace its young blocks, and mines their transactions again. */
export class ScriptedChain {
  readonly transactions = new Map<string, Transaction>();
  private readonly forkedFrom: { readonly from: number; readonly head: number }[] = [];
  private readonly startedAt = Date.now();

  get forks(): number {
    return this.forkedFrom.length;
  }

  /** Returns the hash at once; the transaction is mined this many blocks later. */
  mine({ quoteId, recipient }: Payee, deed: Deed, afterBlocks: number): string {
    const hash = newHash();
    const block = this.head() + 1 + afterBlocks;
    this.transactions.set(hash, { quoteId, recipient, hash, deed, block, forks: this.forks });
    return hash;
  }

  fork(): void {
    const head = this.head();
    this.forkedFrom.push({ from: head - FORKED_BLOCKS, head });
  }

  /** Undefined: no node has such a method. */
  answer({ method, params: [first] }: RpcCall, view: View): unknown {
    if (method === 'eth_chainId') return hex(CHAIN_ID);
    if (method === 'eth_getBlockByNumber') return this.block(first as string, view);
    if (method === 'eth_getTransactionReceipt') return this.receipt(first as string, view);
    return method === 'eth_getLogs' ? this.logs(first as LogFilter, view) : undefined;
  }

  private head({ lag }: Pick<View, 'lag'> = { lag: 0 }): number {
    return FIRST_BLOCK + Math.floor((Date.now() - this.startedAt) / BLOCK_MS) - lag;
  }

  private block(tag: string, view: View): unknown {
    const head = this.head(view);
    const number = tag === 'latest' ? head : tag === 'finalized' ? head - FINAL_BLOCKS : Number(tag);
    if (number > head) return null;
    const seconds = Math.floor((this.startedAt + (number - FIRST_BLOCK) * BLOCK_MS) / 1_000);
    return { number: hex(number), hash: this.hashOf(number, view), timestamp: hex(seconds) };
  }

  /** A fork changes the hashes of all blocks from its first one on. */
  private hashOf(number: number, { forks }: View): string {
    const replaced = this.forkedFrom.slice(0, forks).filter(({ from }) => from <= number).length;
    return word(BigInt(number) * 10_000n + BigInt(replaced));
  }

  private placeOf({ block, forks: known }: Transaction, { forks }: View): number {
    return this.forkedFrom
      .slice(known, Math.max(forks, known))
      .reduce((place, { from, head }) => (place >= from && place <= head ? head + 1 : place), block);
  }

  private receipt(hash: string, view: View): unknown {
    const transaction = this.transactions.get(hash);
    if (transaction === undefined) return null;
    const number = this.placeOf(transaction, view);
    if (number > this.head(view)) return null;
    const place = { blockHash: this.hashOf(number, view), blockNumber: hex(number), transactionHash: hash };
    const deed = !view.isTurned(transaction)
      ? transaction.deed
      : transaction.deed === 'paid'
        ? 'output_reverted'
        : 'paid';
    const log = { ...place, ...transferOf(deed, transaction), logIndex: '0x0', removed: false };
    const isReverted = deed === 'output_reverted';
    return { ...place, status: isReverted ? '0x0' : '0x1', gasUsed: '0xc350', logs: isReverted ? [] : [log] };
  }

  private logs({ address, topics, fromBlock, toBlock, blockHash }: LogFilter, view: View): unknown[] {
    const receipts = [...this.transactions.values()]
      .filter(({ recipient }) => topicOf(recipient) === topics[2])
      .flatMap(({ hash }) => this.receipt(hash, view) ?? []);
    return (receipts as { logs: Record<string, unknown>[] }[])
      .flatMap(({ logs }) => logs)
      .filter((log) => {
        const number = Number(log['blockNumber']);
        const isThere =
          blockHash === undefined
            ? number >= Number(fromBlock) && number <= Number(toBlock)
            : log['blockHash'] === blockHash;
        const isOfToken = address === undefined || log['address'] === address;
        return isThere && isOfToken && (log['topics'] as string[])[2] === topics[2];
      });
  }
}

function transferOf(deed: Deed, { recipient }: Payee): Record<string, unknown> {
  const to = deed === 'other_recipient' ? OTHER_RECIPIENT : recipient;
  const amount = deed === 'amount_short' ? PROMISED / 2n : PROMISED;
  const address = deed === 'other_token' ? OTHER_TOKEN : USDC;
  return { address, topics: [TRANSFER, word(1n), topicOf(to)], data: word(amount) };
}

/** An address in the form of a log's topic. */
export function topicOf(address: string): string {
  return word(BigInt(address));
}

export function newHash(): string {
  return `0x${randomBytes(32).toString('hex')}`;
}

function hex(number: number): string {
  return `0x${number.toString(16)}`;
}

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`;
}
