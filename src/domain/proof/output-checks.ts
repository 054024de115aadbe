import type { Match } from './match-output.ts';
import type { PromisedOutput, SeenTransfer } from './output.ts';
import type { Depth, ShownBlock } from './shown.ts';
import { OUTPUT_CHECKS, type OutputCheck, type OutputCheckName } from './verification.ts';

type Results = Partial<Record<OutputCheckName, Pick<OutputCheck, 'passed' | 'detail'>>>;

const UNCHECKED = { passed: null, detail: 'It could not be checked.' } as const;
const UNUSED = { passed: null, detail: 'It is decided once all else is right.' } as const;

/** All checks in their order; a check without a result could not be made. */
export function checksOf(results: Results): OutputCheck[] {
  return OUTPUT_CHECKS.map((name) => ({
    name,
    ...(results[name] ?? (name === 'unused' ? UNUSED : UNCHECKED)),
  }));
}

/** An RPC that shows the transaction in two ways that do not fit. */
export function contradictingItself(chainId: number): OutputCheck[] {
  const detail = 'The RPC contradicts itself about the transaction.';
  return resultsAlone({ ...chainIdCheck(chainId), receipt: { passed: null, detail } });
}

/** The results alone, where no transaction was looked at. */
export function resultsAlone(results: Results): OutputCheck[] {
  return OUTPUT_CHECKS.flatMap((name) => (results[name] === undefined ? [] : [{ name, ...results[name] }]));
}

export function chainIdCheck(chainId: number, passed = true): Results {
  const detail = passed ? `The RPC is on chain ${chainId}.` : `The RPC is not on chain ${chainId}.`;
  return { chain_id: { passed, detail } };
}

/** The checks from the chain's id to the amount. */
export function matchChecks(output: PromisedOutput, match: Match, blockNumber: number): Results {
  const receipt = { passed: true, detail: `The transaction succeeded in block ${blockNumber}.` };
  const results = { ...chainIdCheck(output.chainId), receipt };
  if (match.kind === 'unclear') return results;
  if (match.kind === 'fits') return { ...results, ...passedOf(output, match.fitting[0].amount) };
  const { failed, nearest } = match;
  const passed = passedOf(output, nearest?.amount ?? 0n);
  const told = new Set<string>(OUTPUT_CHECKS.slice(0, OUTPUT_CHECKS.indexOf(failed)));
  return {
    ...results,
    ...Object.fromEntries(Object.entries(passed).filter(([name]) => told.has(name))),
    [failed]: { passed: false, detail: failedDetail(match, output, blockNumber) },
  };
}

function passedOf(output: PromisedOutput, amount: bigint): Results {
  const { leastAmount } = output;
  const { token, recipient } = output.spelled ?? output;
  const what = token === null ? "the chain's native coin" : `the token ${token}`;
  return {
    token: { passed: true, detail: `It moves ${what}.` },
    recipient: { passed: true, detail: `It goes to ${recipient}.` },
    amount: { passed: true, detail: bringsDetail(amount, leastAmount) },
  };
}

function bringsDetail(amount: bigint, leastAmount: bigint): string {
  return `It brings ${amount}, at least ${leastAmount} was promised.`;
}

/** The checks for a contract that may have paid the native coin. */
export function unclearCoin(checks: readonly OutputCheck[], blockNumber: number): OutputCheck[] {
  const detail = `A contract ran, and the recipient's balance in block ${blockNumber} does not show that this transaction paid the amount.`;
  return checks.map((check) => (check.name === 'recipient' ? { ...check, detail } : check));
}

/** Marks a proof by another transaction than those that the provider names. */
export function foundBySearch<T extends { readonly checks: readonly OutputCheck[] }>(
  answer: T,
  named: readonly string[],
): T & { readonly isSearched: true } {
  const detail = `The provider names ${named.join(', ')}, which no RPC has: a search has found this transaction.`;
  const checks = answer.checks.map((check) => (check.name === 'receipt' ? { ...check, detail } : check));
  return { ...answer, checks, isSearched: true };
}

/** The checks of a proof, rewritten for another of its transfers. */
export function checksOfOther(
  checks: readonly OutputCheck[],
  { amount, isFinal, confirmations }: Pick<SeenTransfer, 'amount' | 'isFinal' | 'confirmations'>,
  leastAmount: bigint,
): OutputCheck[] {
  const depth = isFinal ? 'final, ' : '';
  const told: Results = {
    amount: { passed: true, detail: bringsDetail(amount, leastAmount) },
    confirmations: { passed: true, detail: `Its block is ${depth}${deep(confirmations)}.` },
  };
  return checks.map((check) => ({ ...check, ...told[check.name] }));
}

function failedDetail(
  { failed, reason, nearest }: Extract<Match, { kind: 'differs' }>,
  output: PromisedOutput,
  blockNumber: number,
): string {
  const { leastAmount } = output;
  const { token, recipient } = output.spelled ?? output;
  if (reason === 'output_reverted') return `The transaction failed in block ${blockNumber}.`;
  if (reason === 'amount_short')
    return `It brings ${nearest?.amount ?? 0n}, and at least ${leastAmount} was promised.`;
  if (failed === 'recipient' && reason === 'output_missing')
    return `It comes from ${recipient} itself: nothing arrives.`;
  if (reason === 'other_recipient') return `None of it goes to ${recipient}.`;
  if (reason === 'other_token') return `${recipient} gets another token than ${token ?? 'the native coin'}.`;
  return `The transaction moves none of ${token === null ? 'the native coin' : `the token ${token}`}.`;
}

export function timeCheck(isAfter: boolean, block: ShownBlock, since: Date): Results {
  const times = `Its block is of ${block.at.toISOString()}, the quote of ${since.toISOString()}.`;
  return { time: { passed: isAfter, detail: times } };
}

export function depthCheck({ confirmations, needed, isConfirmed, isFinal }: Depth): Results {
  const detail = isFinal
    ? `Its block is final, ${deep(confirmations)}.`
    : `Its block is ${deep(confirmations)}, ${needed} are needed.`;
  return { confirmations: { passed: isConfirmed, detail } };
}

function deep(confirmations: number): string {
  return confirmations === 1 ? '1 block deep' : `${confirmations} blocks deep`;
}
