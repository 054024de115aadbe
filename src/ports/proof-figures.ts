import type { VerificationState } from '../domain/proof/verification.ts';
import type { Counted } from './attention.ts';

/** For each state, the number of payments of the last day. */
export type ProofCounts = Readonly<Record<VerificationState, number>>;

/** Counts the results of proofs. */
export abstract class ProofFigures {
  /**
   * Counts payments that were created within the last day and reported as completed; `unverified` has only those that have completed
   * by the word of the provider. Null: VERIFY is off.
   */
  abstract lastDay(): Promise<ProofCounts | null>;
  /** For each of these chains, the number of payments that wait for a proof. */
  abstract waiting(chainIds: readonly number[]): Promise<ReadonlyMap<number, Counted>>;
}
