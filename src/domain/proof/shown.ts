/** The view that one RPC has of a chain, in the form that is judged. Hashes and addresses have small letters. */

export interface ShownBlock {
  readonly number: number;
  readonly hash: string;
  readonly at: Date;
}

/** A transfer of a token, by its log. */
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
  /** Gas that a transaction used: 21,000 of one whose data is empty shows that no contract ran. */
  readonly gasUsed: bigint;
  /** The transfers of tokens in it, as its logs have them. */
  readonly transfers: readonly ShownTransfer[];
  /** All its logs as a text in small letters. */
  readonly logged: string;
}

/** How much of the native coin a transaction brought to a recipient. */
export interface ShownCoin {
  readonly from: string;
  /** Null: it creates a contract. */
  readonly to: string | null;
  readonly value: bigint;
  /** True: it ran no contract, so that it moved its value and nothing else. */
  readonly isPlain: boolean;
  /** Of a transaction that ran a contract; null: it was not asked for, or the node lacks it. */
  readonly gain: ShownGain | null;
}

/** The coin that a block brought to a recipient. */
export interface ShownGain {
  /** The balance after the block less the one before it. */
  readonly inAll: bigint;
  /** The part of contracts: all of it less the values that transactions of the block sent to the recipient. */
  readonly byContracts: bigint;
  /**
   * How many transactions of the block may have brought it: those that name the recipient, this one among them. 0: this one
   * does not, and another one ran a contract.
   */
  readonly payers: number;
}

export interface ChainHead {
  readonly latest: ShownBlock;
  /** The number of the newest final block; null: the chain names none yet. */
  readonly final: number | null;
  /** How far that one lay behind the head when it was asked for; left out: as far as the two say. */
  readonly finalLag?: number;
}

/** How far the newest final block is behind the head; null: the chain names none yet. */
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
