import type { ShownBlock } from '../../domain/proof/shown.ts';

/** An output by its transaction and its place there. */
export interface Outpoint {
  readonly txHash: string;
  readonly index: number;
}

export interface ShownInput {
  /** The output that the input spends; null: it makes new coins. */
  readonly spends: Outpoint | null;
  /** The script of that output; null: the interface does not tell. */
  readonly script: string | null;
}

/** Scripts and hashes are in lower-case hexadecimal digits. */
export interface ShownOutput {
  readonly index: number;
  /** Null: the interface does not tell. */
  readonly script: string | null;
  /** In the coin's smallest unit. */
  readonly amount: bigint;
}

export interface ShownUtxoTransaction {
  readonly txHash: string;
  readonly inputs: readonly ShownInput[];
  readonly outputs: readonly ShownOutput[];
  /** True: the interface says that a part of it is hidden in an extension block. */
  readonly isHidden: boolean;
  /** Null: it is in no block. */
  readonly block: ShownBlock | null;
}

/** A page of an address's transactions in blocks, the newest first. */
export interface HistoryPage {
  readonly transactions: readonly ShownUtxoTransaction[];
  /** The text that asks for the next page; null: there is none. */
  readonly next: string | null;
}

/** One of the HTTP interfaces by which servers show a chain. All methods throw RpcTrouble. */
export interface UtxoApi {
  /** The newest block. */
  head(): Promise<ShownBlock>;
  /** The hash of the block with this number; null: there is none. */
  blockHashAt(number: number): Promise<string | null>;
  /** The block with this number and its time, for which servers need more effort; null: there is none. */
  blockAt(number: number): Promise<ShownBlock | null>;
  /** Null: the server does not have the transaction, neither in a block nor outside of one. */
  transaction(txHash: string): Promise<ShownUtxoTransaction | null>;
  /** `next` of the previous page; null: the first page. */
  historyOf(script: string, next: string | null): Promise<HistoryPage>;
  /** The transaction that spends an output; null: none is known. */
  spenderOf(outpoint: Outpoint): Promise<string | null>;
}
