import { rulesOf } from '../../domain/chains/chain-kinds.ts';

/** How completions are proven, from the configuration. */
export class ProofSettings {
  constructor(
    /** A decimal string: payments of less are not proven. */
    readonly fromUsd: string,
    readonly toleranceBps: number,
    /** In the provider's time; null: as the chain's kind needs it. */
    private readonly patienceMs: number | null,
    /** A payment to a chain that no witness sees completes by the word of its provider. */
    readonly allowsUnprovable: boolean,
    readonly depositUnseenMs: number,
    /** How many times faster than the clock the provider's time runs: the waits between inspections are as much shorter. */
    readonly speed = 1,
  ) {}

  /** How long a completion may stay unproven. Null: the chain is not known. */
  patienceOf(chainId: number | null): number {
    return (this.patienceMs ?? rulesOf(chainId).patienceMs) / this.speed;
  }
}
