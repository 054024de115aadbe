/** One RPC's view of a chain, in the form for judging. Hashes and addresses are in lower case. */

export interface ShownBlock {
  readonly number: number;
  readonly hash: string;
  readonly at: Date;
}

/** A transfer of a token, read from its log. */
export interface ShownTransfer {
  readonly txHash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly logIndex: number;
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

export interface ShownReceipt {
  readonly txHash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly succeeded: boolean;
  /** Gas that the transaction used: 21,000 with empty data shows that no contract ran. */
  readonly gasUsed: bigint;
  /** The transfers of tokens in its logs. */
  readonly transfers: readonly ShownTransfer[];
  /** All logs of the transaction as one lower-case text. */
  readonly logged: string;
}

/** How much of the native coin a transaction brought to a recipient. */
export interface ShownCoin {
  readonly from: string;
  /** Null: it creates a contract. */
  readonly to: string | null;
  readonly value: bigint;
  /** True: the transaction ran no contract, so that it moved only its value. */
  readonly isPlain: boolean;
  /** The gain of a transaction that ran a contract; null: the gain was not requested, or the node lacks it. */
  readonly gain: ShownGain | null;
}

/** The native coin that a block brought to a recipient. */
export interface ShownGain {
  /** The balance after the block minus the balance before it. */
  readonly inAll: bigint;
  /**
   * The part that contracts paid: the gain minus the values that transactions of the block sent to the recipient directly.
   */
  readonly byContracts: bigint;
  /**
   * How many transactions of the block may have paid the gain: those that name the recipient, this one included. 0: this
   * transaction does not name the recipient, and another one ran a contract.
   */
  readonly payers: number;
}

export interface ChainHead {
  readonly latest: ShownBlock;
  /** The number of the newest final block; null: the chain has none yet. */
  readonly final: number | null;
  /** How far the newest final block lay behind the head when it was read; left out: `latest` minus `final`. */
  readonly finalLag?: number;
}

/** How far the newest final block is behind the head; null: the chain has none yet. */
export function finalLagOf({ latest, final, finalLag }: ChainHead): number | null {
  return final === null ? null : (finalLag ?? Math.max(latest.number - final, 0));
}

/** How deep a block lies below a head. */
export interface Depth {
  readonly confirmations: number;
  readonly needed: number;
  readonly isConfirmed: boolean;
  readonly isFinal: boolean;
}

export function depthOf(blockNumber: number, head: ChainHead, needed: number): Depth {
  const confirmations = Math.max(head.latest.number - blockNumber + 1, 0);
  const isFinal = head.final !== null && blockNumber <= head.final;
  return { confirmations, needed, isFinal, isConfirmed: isFinal || confirmations >= needed };
}
