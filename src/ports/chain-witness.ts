import type { OutputAnswer, PromisedOutput, SeenDeposit, WatchedDeposit } from '../domain/proof/output.ts';
import type { SeenRpcTrouble } from './rpc-trouble.ts';

/**
 * Reads chains through the RPCs of CHAIN_RPC, or the chain that the sandbox simulates. An inspection never throws because of
 * an RPC. Never call it within a transaction.
 */
export abstract class ChainWitness {
  /**
   * True: the sandbox simulates the chain; or CHAIN_RPC names it, its kind has an adapter, and no RPC is known to lack the
   * data for the token. `token` null: the native coin. Never throws.
   */
  abstract sees(chainId: number, token: string | null): Promise<boolean>;
  abstract inspectOutput(output: PromisedOutput): Promise<OutputAnswer>;
  /**
   * The fraction digits that a token's contract states; null: no contract, or the RPCs disagree. Throws if no RPC answers.
   */
  abstract readDecimals(chainId: number, token: string): Promise<number | null>;
  /** Finds the deposits since the payment was created, without dust; returns none if nothing certain is known. */
  abstract inspectDeposit(deposit: WatchedDeposit): Promise<readonly SeenDeposit[]>;
  /** The RPCs that an operator should check, as far as this process has seen. Sends no request. */
  troubles(): SeenRpcTrouble[] {
    return [];
  }
}
