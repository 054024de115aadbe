import type { ContradictionOnChain, OutputCheck } from './verification.ts';

/** The transfer that a quote promised. Amounts are in the token's smallest units. */
export interface PromisedOutput {
  readonly chainId: number;
  /** The contract's address; null: the chain's native coin. */
  readonly token: string | null;
  readonly recipient: string;
  /** As the quote writes them, for what a person reads, where the witness compares another form of both. */
  readonly spelled?: Pick<PromisedOutput, 'token' | 'recipient'>;
  readonly leastAmount: bigint;
  /** More is another payment's where the transfer was searched for. */
  readonly mostAmount: bigint;
  /** The transactions that the provider names; none: the witness searches since the quote. */
  readonly txHashes: readonly string[];
  /** How long the provider has named them; left out: just now. */
  readonly namedForMs?: number;
  /** The keys of transfers that prove other payments: a search passes them over. Left out: none is known. */
  readonly used?: ReadonlySet<string>;
  /** When the quote was made. */
  readonly since: Date;
  /** The proof in a block that was not final yet; left out or null: there is none. */
  readonly provenBy?: SeenTransfer | null;
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
   * Its place among the transfers of the token to the recipient in its transaction, from 0: the index of its log is another one
   * where it is mined again. Left out: of the native coin.
   */
  readonly ordinal?: number;
  /** The native coin that a block brought, by the balances before and after it: no transfer shows it. */
  readonly byBalance?: true;
  /** The most that payments together may take of it and of its like; left out: each transfer is taken once, whole. */
  readonly income?: bigint;
  readonly confirmations: number;
  /** The chain does not take its block back. False: it is inspected again. */
  readonly isFinal: boolean;
}

/** The fields that all answers have. */
interface Inspected {
  readonly checks: readonly OutputCheck[];
  /** The names of the RPCs that answered: their hosts, as `verification.sources` has them. */
  readonly sources: readonly string[];
}

export type OutputAnswer =
  /**
   * Each of the transfers would prove it, the smallest sufficient one first; a transfer that proves another payment already
   * does not count. `askAgainMs`: when their blocks may be final; null: they are.
   */
  | (Inspected & {
      readonly state: 'proven';
      readonly transfers: readonly [SeenTransfer, ...SeenTransfer[]];
      readonly askAgainMs: number | null;
      /** By a search, though the provider names a transaction. */
      readonly isSearched?: true;
      /** Of another transaction that the provider names, and that may prove it too: when it is worth another inspection. */
      readonly openAgainMs?: number;
    })
  /** Only a finalized block contradicts. */
  | (Inspected & {
      readonly state: 'contradicted';
      readonly reason: ContradictionOnChain;
      readonly transfer: SeenTransfer | null;
    })
  /** `reason`: a short word such as `no_witness`; `askAgainMs`: null where asking again would not help. */
  | (Inspected & {
      readonly state: 'inconclusive';
      readonly reason: string;
      readonly askAgainMs: number | null;
    });

/** Stands for a transfer among those of its chain. */
export function outputKey({
  txHash,
  logIndex,
  ordinal,
}: Pick<SeenTransfer, 'txHash' | 'logIndex' | 'ordinal'>): string {
  return `${txHash}:${ordinal ?? logIndex ?? ''}`;
}

/** A token that a payer may have sent instead of the one that was asked for. */
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
  /** The amount that the quote asks for, in the smallest unit; null: it does not say it. */
  readonly asked: bigint | null;
  readonly others: readonly OtherToken[];
  /** Transactions that a payer passed on. */
  readonly txHashes: readonly string[];
  readonly since: Date;
}

/** All of a token that one transaction brought to a deposit address, in a final block. */
export interface SeenDeposit {
  /** Null: a contract sent the native coin, and no transaction of the block is known to be the one. */
  readonly txHash: string | null;
  readonly blockNumber: number;
  readonly blockHash: string;
  /** The time of the block. */
  readonly at: Date;
  /** The token's address as the chain has it; null: the native coin. */
  readonly token: string | null;
  readonly amount: bigint;
}

/** A deposit that is on chain, and that the provider has not reported. Raw amounts are digits in the smallest unit. */
export interface UnseenDeposit {
  readonly chainId: number;
  readonly txHash: string | null;
  readonly token: string | null;
  /** True: the quote asks for another token. */
  readonly wrongToken: boolean;
  /** A decimal string in the token's units; null: its decimals are not known. */
  readonly amount: string | null;
  readonly amountRaw: string;
  /** The same of all such deposits so far, in the token that the quote asks for. */
  readonly sum: string | null;
  readonly sumRaw: string;
  readonly block: number;
}
