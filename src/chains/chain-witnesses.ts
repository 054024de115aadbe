import { rulesOf } from '../domain/chains/chain-kinds.ts';
import { inconclusive } from '../domain/proof/judge-output.ts';
import type { OutputAnswer, PromisedOutput, SeenDeposit, WatchedDeposit } from '../domain/proof/output.ts';
import { ChainWitness } from '../ports/chain-witness.ts';
import type { SeenRpcTrouble } from '../ports/rpc-trouble.ts';
import type { Chain } from './chain.ts';

/** The chains that are read. All others prove nothing and contradict nothing. */
export class ChainWitnesses extends ChainWitness {
  private readonly chains: ReadonlyMap<number, Chain>;

  constructor(chains: readonly Chain[]) {
    super();
    this.chains = new Map(chains.map((chain) => [chain.chainId, chain]));
  }

  async sees(chainId: number, token: string | null): Promise<boolean> {
    const chain = this.chains.get(chainId);
    if (chain === undefined || token === null) return chain !== undefined && (await chain.seesCoin());
    return rulesOf(chainId).hasCoinAlone !== true;
  }

  async inspectOutput(output: PromisedOutput): Promise<OutputAnswer> {
    const nothing = inconclusive('no_witness', null, { source: null, checks: [] });
    return this.chains.get(output.chainId)?.inspectOutput(output) ?? nothing;
  }

  async inspectDeposit(deposit: WatchedDeposit): Promise<readonly SeenDeposit[]> {
    return this.chains.get(deposit.chainId)?.inspectDeposit(deposit) ?? [];
  }

  async readDecimals(chainId: number, token: string): Promise<number | null> {
    return this.chains.get(chainId)?.readDecimals(token) ?? null;
  }

  /** Ends the connections; inspections in flight end as if the RPCs were away. */
  async close(): Promise<void> {
    await Promise.all([...this.chains.values()].map((chain) => chain.close()));
  }

  override troubles(): SeenRpcTrouble[] {
    return [...this.chains.values()].flatMap((chain) => chain.troubles());
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }
}
