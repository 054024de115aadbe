/** How completions are proven, from the configuration. */
export class ProofSettings {
  constructor(
    /** A decimal string: payments of less are not proven. */
    readonly fromUsd: string,
    readonly toleranceBps: number,
    readonly patienceMs: number,
    /** A payment to a chain that no witness sees completes by the word of its provider. */
    readonly allowsUnprovable: boolean,
    readonly depositUnseenMs: number,
  ) {}
}
