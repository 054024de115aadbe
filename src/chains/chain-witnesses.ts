import { inconclusive } from '../domain/proof/judge-output.ts';
import type { DepositAnswer, OutputAnswer, PromisedOutput, WatchedDeposit } from '../domain/proof/output.ts';
import { checksOf } from '../domain/proof/output-checks.ts';
import { ChainWitness } from '../ports/chain-witness.ts';

/** A witness that is ended with the process. */
export interface ClosableWitness extends ChainWitness {
  close(): Promise<void>;
}

/** Asks the adapter of a chain's kind. Chains without one prove nothing and contradict nothing. */
export class ChainWitnesses extends ChainWitness {
  constructor(private readonly adapters: readonly ClosableWitness[]) {
    super();
  }

  sees(chainId: number): boolean {
    return this.adapterOf(chainId) !== undefined;
  }

  async inspectOutput(output: PromisedOutput): Promise<OutputAnswer> {
    const adapter = this.adapterOf(output.chainId);
    return (
      adapter?.inspectOutput(output) ??
      inconclusive('no_witness', null, { source: null, checks: checksOf({}) })
    );
  }

  async inspectDeposit(deposit: WatchedDeposit): Promise<DepositAnswer> {
    const adapter = this.adapterOf(deposit.chainId);
    return adapter?.inspectDeposit(deposit) ?? { deposit: null, askAgainMs: null };
  }

  async readDecimals(chainId: number, token: string): Promise<number | null> {
    return this.adapterOf(chainId)?.readDecimals(chainId, token) ?? null;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.adapters.map((adapter) => adapter.close()));
  }

  private adapterOf(chainId: number): ChainWitness | undefined {
    return this.adapters.find((adapter) => adapter.sees(chainId));
  }
}
