import type { OutputAnswer, SeenTransfer } from '../../src/domain/proof/output.ts';
import { OUTPUT_CHECKS, type ContradictionOnChain } from '../../src/domain/proof/verification.ts';
import { hashOf } from './proof-texts.ts';

const CHECKS = OUTPUT_CHECKS.map((name) => ({
  name,
  passed: name === 'unused' ? null : true,
  detail: 'It is as promised.',
}));

export function transferOf(txHash: string, more: Partial<SeenTransfer> = {}): SeenTransfer {
  return {
    txHash,
    logIndex: 0,
    blockNumber: 100,
    blockHash: hashOf(9_000),
    amount: 25_000_000n,
    confirmations: 64,
    isFinal: true,
    ...more,
  };
}

export function proven(
  ...transfers: [SeenTransfer, ...SeenTransfer[]]
): OutputAnswer & { readonly state: 'proven' } {
  const askAgainMs = transfers.every(({ isFinal }) => isFinal) ? null : 1_000;
  return { state: 'proven', transfers, askAgainMs, checks: CHECKS, sources: ['rpc.example'] };
}

export function inconclusive(reason: string, askAgainMs: number | null): OutputAnswer {
  return { state: 'inconclusive', reason, askAgainMs, checks: [], sources: [] };
}

export function contradicted(
  reason: ContradictionOnChain,
  transfer: SeenTransfer | null = null,
): OutputAnswer {
  return { state: 'contradicted', reason, transfer, checks: [], sources: ['rpc.example'] };
}
