import type { OutputAnswer, PromisedOutput, SeenDeposit, WatchedDeposit } from '../../domain/proof/output.ts';
import { SIMULATED_CHAINS } from '../../domain/proof/simulated-output.ts';
import { ChainWitness } from '../../ports/chain-witness.ts';
import type { Clock } from '../../ports/clock.ts';
import type { BlockTimes } from './sandbox-chain.ts';
import { inspectSimulated, inspectSimulatedDeposit } from './inspect-simulated.ts';

export interface SandboxChainOptions {
  /** How many times faster than real time blocks come. */
  readonly speed: number;
  /** The number of blocks after which a transfer counts as proven. */
  readonly confirmationsOf: (chainId: number) => number;
  readonly clock: Pick<Clock, 'now'>;
}

/** Proves payments of the sandbox on a simulated chain, for rehearsals. Its answers are never about real money. */
export class SandboxWitness extends ChainWitness {
  constructor(private readonly options: SandboxChainOptions) {
    super();
  }

  sees(chainId: number): Promise<boolean> {
    return Promise.resolve(SIMULATED_CHAINS.has(chainId));
  }

  inspectOutput(output: PromisedOutput): Promise<OutputAnswer> {
    return Promise.resolve(inspectSimulated(output, this.timesOf(output.chainId), this.options.clock.now()));
  }

  inspectDeposit(deposit: WatchedDeposit): Promise<readonly SeenDeposit[]> {
    const times = this.timesOf(deposit.chainId);
    return Promise.resolve(inspectSimulatedDeposit(deposit, times, this.options.clock.now()));
  }

  /** There are no contracts: the providers' statement counts. */
  readDecimals(): Promise<null> {
    return Promise.resolve(null);
  }

  private timesOf(chainId: number): BlockTimes {
    const { speed, confirmationsOf } = this.options;
    return { chainId, speed, needed: confirmationsOf(chainId) };
  }
}
