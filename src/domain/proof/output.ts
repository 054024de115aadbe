import type { ContradictionOnChain, OutputCheck } from './verification.ts';

/** The transfer that a quote promised. Amounts are in the token's smallest units. */
export interface PromisedOutput {
  readonly chainId: number;
  /** The contract's address; null: the chain's native coin. */
  readonly token: string | null;
  readonly recipient: string;
  /** The spelling in the quote, for texts that a person reads; the witness compares a normalised form. */
  readonly spelled?: Pick<PromisedOutput, 'token' | 'recipient'>;
  readonly leastAmount: bigint;
  /** When the transfer was searched for, a larger amount belongs to another payment. */
  readonly mostAmount: bigint;
  /** The transactions that the provider names; none: the witness searches from the quote on. */
  readonly txHashes: readonly string[];
  /** How long the provider has named them; left out: since just now. */
  readonly namedForMs?: number;
  /** The keys of transfers that prove other payments, which a search skips. Left out: none is known. */
  readonly used?: ReadonlySet<string>;
  /** When the quote was made. */
  readonly since: Date;
  /** The proof in a block that was not final; left out or null: there is none. */
  readonly provenBy?: SeenTransfer | null;
  /** Left out: none is known. */
  readonly seenInputs?: readonly SeenInputs[];
}

/**
 * The outputs that a transaction spends, on a chain of outputs. They are kept, since the chain no longer shows them once the
 * transaction has vanished: another transaction that spends one of them has taken its place.
 */
export interface SeenInputs {
  readonly txHash: string;
  /** Each output as `txHash:index`. */
  readonly spends: readonly string[];
}

/** A transfer as a block has it. */
export interface SeenTransfer {
  readonly txHash: string;
  /** Null: a transfer of the native coin. */
  readonly logIndex: number | null;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly amount: bigint;
  /**
   * The place of the transfer, from 0, among the transfers of the token to the recipient in its transaction: the log index
   * changes when the transaction is mined again. Left out for the native coin.
   */
  readonly ordinal?: number;
  /** The native coin that a block brought, computed from the balances before and after it: no transfer shows it. */
  readonly byBalance?: true;
  /**
   * The most that all payments together may take from it and from transfers like it; left out: a transfer is taken once, as a
   * whole.
   */
  readonly income?: bigint;
  readonly confirmations: number;
  /** True: the chain cannot take the block back. False: the transfer is inspected again. */
  readonly isFinal: boolean;
}

/** The fields that all answers have. */
interface Inspected {
  readonly checks: readonly OutputCheck[];
  /** The names of the RPCs that answered: their hosts, as `verification.sources` has them. */
  readonly sources: readonly string[];
  /** Of the transactions that are in no final block; left out: none, or the chain is not one of outputs. */
  readonly seenInputs?: readonly SeenInputs[];
}

export type OutputAnswer =
  /**
   * Each of the transfers would prove the payment, the smallest sufficient one first; a transfer that proves another payment
   * does not count. `askAgainMs`: when their blocks may be final; null: they are.
   */
  | (Inspected & {
      readonly state: 'proven';
      readonly transfers: readonly [SeenTransfer, ...SeenTransfer[]];
      readonly askAgainMs: number | null;
      /** The transfer was found by a search although the provider names a transaction. */
      readonly isSearched?: true;
      /** When to inspect another transaction that the provider names and that may prove the payment too. */
      readonly openAgainMs?: number;
    })
  /** Only a finalized block can contradict. */
  | (Inspected & {
      readonly state: 'contradicted';
      readonly reason: ContradictionOnChain;
      readonly transfer: SeenTransfer | null;
    })
  /** `reason`: a short word such as `no_witness`; `askAgainMs`: null where another inspection would not help. */
  | (Inspected & {
      readonly state: 'inconclusive';
      readonly reason: string;
      readonly askAgainMs: number | null;
    });

/** The key of a transfer within its chain. */
export function outputKey({
  txHash,
  logIndex,
  ordinal,
}: Pick<SeenTransfer, 'txHash' | 'logIndex' | 'ordinal'>): string {
  return `${txHash}:${ordinal ?? logIndex ?? ''}`;
}

/** A token that a payer may have sent instead of the requested one. */
export interface OtherToken {
  /** Null: the native coin. */
  readonly token: string | null;
  /** The least amount of a transaction that counts, in the smallest unit. */
  readonly least: bigint;
}

/** A deposit address to inspect. */
export interface WatchedDeposit {
  readonly chainId: number;
  /** Null: the native coin. */
  readonly token: string | null;
  readonly depositAddress: string;
  /** The amount that the quote asks for, in the smallest unit; null: the quote states none. */
  readonly asked: bigint | null;
  readonly others: readonly OtherToken[];
  /** Transactions that a payer passed on. */
  readonly txHashes: readonly string[];
  readonly since: Date;
}

/** The total of a token that one transaction in a final block brought to a deposit address. */
export interface SeenDeposit {
  /** Null: a contract sent the native coin, and the transaction in the block is not known. */
  readonly txHash: string | null;
  readonly blockNumber: number;
  readonly blockHash: string;
  /** The time of the block. */
  readonly at: Date;
  /** The token's address as the chain has it; null: the native coin. */
  readonly token: string | null;
  readonly amount: bigint;
}

/** A deposit on chain that the provider has not reported. Raw amounts are digits in the smallest unit. */
export interface UnseenDeposit {
  readonly chainId: number;
  readonly txHash: string | null;
  readonly token: string | null;
  /** True: the quote asks for another token. */
  readonly wrongToken: boolean;
  /** A decimal string in the token's units; null: its decimals are not known. */
  readonly amount: string | null;
  readonly amountRaw: string;
  /** The sum of all such deposits in the token that the quote asks for. */
  readonly sum: string | null;
  readonly sumRaw: string;
  readonly block: number;
}
