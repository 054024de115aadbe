import type { DepositAnswer, OutputAnswer, PromisedOutput, WatchedDeposit } from '../domain/proof/output.ts';

/** Reads chains through the RPCs of CHAIN_RPC. It never throws for what an RPC does, and never waits within a transaction. */
export abstract class ChainWitness {
  /** True: CHAIN_RPC names the chain, and its kind has an adapter. */
  abstract sees(chainId: number): boolean;
  abstract inspectOutput(output: PromisedOutput): Promise<OutputAnswer>;
  /** The fraction digits that a token's contract names; null: no contract, no agreement, or not known now. */
  abstract readDecimals(chainId: number, token: string): Promise<number | null>;
  abstract inspectDeposit(deposit: WatchedDeposit): Promise<DepositAnswer>;
}
