import type { OutputAnswer, SeenTransfer } from '../proof/output.ts';
import type { OutputCheck, Verification, VerificationState } from '../proof/verification.ts';

/** The verification of a payment by an answer; `by` is the transfer that the verification names. */
export function verificationOf(
  state: VerificationState,
  { checks, sources }: OutputAnswer,
  by: SeenTransfer | null,
  { chainId }: { readonly chainId: number | null },
): Verification {
  return {
    state,
    chainId,
    txHash: by?.txHash ?? null,
    logIndex: by?.logIndex ?? null,
    block: by?.blockNumber ?? null,
    confirmations: by?.confirmations ?? null,
    checks,
    sources,
  };
}

/** The checks of a transfer that is reserved for this payment. */
export function unused(checks: readonly OutputCheck[]): OutputCheck[] {
  const told = { passed: true, detail: 'It proves no other payment.' };
  return checks.map((check) => (check.name === 'unused' ? { ...check, ...told } : check));
}

/** `other`: the quote id of the payment that the transfer proves; null: not known, or several payments. */
export function usedBy(verification: Verification, other: string | null): Verification {
  const detail = other === null ? 'It proves another payment.' : `It proves the payment ${other}.`;
  const checks = verification.checks.map((check) =>
    check.name === 'unused' ? { ...check, passed: false, detail } : check,
  );
  return { ...verification, checks, ...(other === null ? {} : { usedBy: other }) };
}
