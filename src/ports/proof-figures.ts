import type { VerificationState } from '../domain/proof/verification.ts';
import type { Counted, UpTo } from './attention.ts';

/** Unresolved payments that need a person because of what a chain shows, or does not show. */
export const PROOF_TROUBLES = ['contradicted', 'unverified', 'depositUnseen'] as const;
export type ProofTrouble = (typeof PROOF_TROUBLES)[number];

/** For each state, the number of payments of the last day. */
export type ProofCounts = Readonly<Record<VerificationState, number>>;

/** Counts the results of proofs. */
export abstract class ProofFigures {
  abstract troubles(): Promise<Readonly<Record<ProofTrouble, UpTo>>>;
  /** Counts payments whose completion was reported within the last day. Null: VERIFY is off. */
  abstract lastDay(): Promise<ProofCounts | null>;
  /** For each of these chains, the number of payments that wait for a proof. */
  abstract waiting(chainIds: readonly number[]): Promise<ReadonlyMap<number, Counted>>;
}
