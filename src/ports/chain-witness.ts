import type { OutputAnswer, PromisedOutput, SeenDeposit, WatchedDeposit } from '../domain/proof/output.ts';
import type { SeenRpcTrouble } from './rpc-trouble.ts';

/** Reads chains through the RPCs of CHAIN_RPC, or the one that the sandbox plays. Inspections never throw for what an RPC does, and never wait within a transaction. */
export abstract class ChainWitness {
  /**
   * True: the sandbox plays the chain; or CHAIN_RPC names it, its kind has an adapter, and no RPC is known to lack what shows the token. `token` null: the
   * native coin. Never throws.
   */
  abstract sees(chainId: number, token: string | null): Promise<boolean>;
  abstract inspectOutput(output: PromisedOutput): Promise<OutputAnswer>;
  /** The fraction digits that a token's contract names; null: no contract, or no agreement. Throws where no RPC answers. */
  abstract readDecimals(chainId: number, token: string): Promise<number | null>;
  /** Finds the deposits since the payment was made, dust left out; none also where nothing can be said. */
  abstract inspectDeposit(deposit: WatchedDeposit): Promise<readonly SeenDeposit[]>;
  /** The RPCs that an operator should look at, as far as this process saw. Asks nothing. */
  troubles(): SeenRpcTrouble[] {
    return [];
  }
}
