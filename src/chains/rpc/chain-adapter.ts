import type { OutputAnswer, PromisedOutput, SeenDeposit, WatchedDeposit } from '../../domain/proof/output.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Timers } from '../../ports/timers.ts';
import type { LimitIn, RpcConnection } from './rpc-connection.ts';
import type { RpcFinding } from './rpc-finding.ts';

/** Reads a chain by one RPC. Its methods throw RpcTrouble, and nothing else for what the RPC does. */
export interface ChainReader {
  readonly host: string;
  /** When its head was last seen to be one of its chain, by Timers. */
  readonly movingAtMs: number;
  /** Addresses and hashes are as the adapter's spelling reads them. */
  inspectOutput(output: PromisedOutput, now: Date): Promise<OutputAnswer>;
  /** By transfers to the recipient, whatever transactions the provider names. */
  searchOutput(output: PromisedOutput, now: Date): Promise<OutputAnswer>;
  inspectDeposit(deposit: WatchedDeposit): Promise<readonly SeenDeposit[]>;
  /** The fraction digits that a token's contract names; null: there is no such contract. */
  readDecimals(token: string): Promise<number | null>;
  /** False: the RPC is known to lack what shows the native coin. Never throws. */
  seesCoin(): Promise<boolean>;
  /** Asks for all that a proof needs. */
  examine(now: Date): Promise<readonly RpcFinding[]>;
}

export interface ReaderOptions {
  readonly chainId: number;
  /** The name of the RPC in answers and logs: its host, with a number where a chain has several of it. */
  readonly host: string;
  /** Blocks after which a transfer counts as proven. */
  readonly needed: number;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called once, where the RPC names no final block. */
  readonly onUnknownTag: () => void;
}

/** How people and providers write the addresses and transactions of a kind, and how its readers compare them. */
export interface Spelling {
  /** Equal for all spellings of one address; null: it is none of this kind. */
  addressOf(text: string): string | null;
  /** The same of a transaction. A text that names none stays as it is. */
  hashOf(text: string): string;
  /** A transaction as this kind's people write it. */
  shownHash(hash: string): string;
}

/** A kind of chain. */
export interface ChainAdapter {
  readonly spelling: Spelling;
  /** Finds a limit of calls in an answer that keeps to no protocol; left out: there is no such answer. */
  readonly limitIn?: LimitIn;
  readerOf(connection: RpcConnection, options: ReaderOptions): ChainReader;
}
