import { rulesOf } from '../../domain/chains/chain-kinds.ts';

/** How completions are proven, from the configuration. */
export class ProofSettings {
  constructor(
    /** A decimal string: smaller payments are not proven. */
    readonly fromUsd: string,
    readonly toleranceBps: number,
    /** The patience in the provider's time; null: the value of the chain's kind. */
    private readonly patienceMs: number | null,
    /** True: a payment to a chain that no witness sees completes on its provider's word. */
    readonly allowsUnprovable: boolean,
    readonly depositUnseenMs: number,
    /** How many times faster than the clock the provider's time runs; waits between inspections are divided by it. */
    readonly speed = 1,
  ) {}

  /** How long a completion may stay unproven. Null: the chain is not known. */
  patienceOf(chainId: number | null): number {
    return (this.patienceMs ?? rulesOf(chainId).patienceMs) / this.speed;
  }
}
