import type { UpTo } from '../../ports/attention.ts';
import { PROOF_TROUBLES, type ProofTrouble } from '../../ports/proof-figures.ts';
import { type AttentionItem, type Code, counted, itemOf, verb } from './attention-item.ts';

/** The words about payments, after their number. */
const WORDS: Readonly<Record<ProofTrouble, readonly [code: Code, one: string, several: string]>> = {
  contradicted: [
    'payments_contradicted',
    'is reported as completed, and its chain shows otherwise.',
    'are reported as completed, and their chains show otherwise.',
  ],
  unverified: [
    'payments_unverified',
    'is reported as completed, and no chain has proven it in time.',
    'are reported as completed, and no chain has proven them in time.',
  ],
  depositUnseen: [
    'deposits_unseen',
    'has a deposit on its chain that its provider does not report.',
    'have deposits on their chains that their providers do not report.',
  ],
};

/** Null: VERIFY is off. */
export function proofItems(troubles: Readonly<Record<ProofTrouble, UpTo>> | null): AttentionItem[] {
  if (troubles === null) return [];
  return PROOF_TROUBLES.flatMap((trouble) => {
    const upTo = troubles[trouble];
    const [code, one, several] = WORDS[trouble];
    if (upTo.count === 0) return [];
    const detail = `${counted(upTo, 'payment')} ${verb(upTo.count, one, several)}`;
    return [itemOf(code, { ...upTo, detail })];
  });
}
