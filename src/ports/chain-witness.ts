import type { DepositAnswer, OutputAnswer, PromisedOutput, WatchedDeposit } from '../domain/proof/output.ts';

/** Reads chains through the RPCs of CHAIN_RPC. It never throws for what an RPC does, and never waits within a transaction. */
export abstract class ChainWitness {
  /** True: CHAIN_RPC names the chain, and its kind has an adapter. */
  abstract sees(chainId: number): boolean;
  abstract inspectOutput(output: PromisedOutput): Promise<OutputAnswer>;
  abstract inspectDeposit(deposit: WatchedDeposit): Promise<DepositAnswer>;
}
