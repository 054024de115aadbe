import type { VerificationState } from '../domain/proof/verification.ts';
import type { Counted, UpTo } from './attention.ts';

/** Unresolved payments that need a person for what a chain shows, or does not. */
export const PROOF_TROUBLES = ['contradicted', 'unverified', 'depositUnseen'] as const;
export type ProofTrouble = (typeof PROOF_TROUBLES)[number];

/** How many payments of the last day are in each state. */
export type ProofCounts = Readonly<Record<VerificationState, number>>;

/** Counts what chains show. */
export abstract class ProofFigures {
  abstract troubles(): Promise<Readonly<Record<ProofTrouble, UpTo>>>;
  /** Of the payments whose completion was reported within the last day. Null: VERIFY is off. */
  abstract lastDay(): Promise<ProofCounts | null>;
  /** The payments that wait for a proof on each of these chains. */
  abstract waiting(chainIds: readonly number[]): Promise<ReadonlyMap<number, Counted>>;
}
