import type { OutputAnswer, PromisedOutput, SeenDeposit, WatchedDeposit } from '../../domain/proof/output.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Timers } from '../../ports/timers.ts';
import type { LimitIn, RpcConnection } from './rpc-connection.ts';
import type { RpcFinding } from './rpc-finding.ts';

/** Reads a chain through one RPC. For any failure of the RPC its methods throw RpcTrouble. */
export interface ChainReader {
  readonly host: string;
  /** When the chain's head was last found to be up to date, by Timers. */
  readonly movingAtMs: number;
  /** Addresses and hashes are in the form of the adapter's spelling. */
  inspectOutput(output: PromisedOutput, now: Date): Promise<OutputAnswer>;
  /** Searches transfers to the recipient, whatever transactions the provider names. */
  searchOutput(output: PromisedOutput, now: Date): Promise<OutputAnswer>;
  inspectDeposit(deposit: WatchedDeposit): Promise<readonly SeenDeposit[]>;
  /** The fraction digits that a token's contract states; null: the contract does not exist. */
  readDecimals(token: string): Promise<number | null>;
  /** False: the RPC is known to lack the data for the native coin. Never throws. */
  seesCoin(): Promise<boolean>;
  /** Asks the RPC for its chain, however lately it was asked. Throws RpcTrouble if it is on another one. */
  checkChain(): Promise<void>;
  /** Checks the RPC for everything that a proof needs. */
  examine(now: Date): Promise<readonly RpcFinding[]>;
}

export interface ReaderOptions {
  readonly chainId: number;
  /** The name of the RPC in answers and logs: its host, numbered if the chain has several RPCs on it. */
  readonly host: string;
  /** The number of blocks after which a transfer counts as proven. */
  readonly needed: number;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called once if the RPC names no final block. */
  readonly onUnknownTag: () => void;
}

/**
 * How people and providers write addresses and transactions of this kind of chain, and the normal form that readers compare.
 */
export interface Spelling {
  /** A key that is equal for all spellings of one address; null: the text is not an address of this kind. */
  addressOf(text: string): string | null;
  /** Equal for all spellings of one transaction. A text that is no hash stays as it is. */
  hashOf(text: string): string;
  /** A transaction in the usual spelling for people. */
  shownHash(hash: string): string;
}

/** A kind of chain. */
export interface ChainAdapter {
  readonly spelling: Spelling;
  /** Recognises a rate limit in an answer outside the protocol; left out: there is no such answer. */
  readonly limitIn?: LimitIn;
  readerOf(connection: RpcConnection, options: ReaderOptions): ChainReader;
}
