import { inconclusive } from './judge-output.ts';
import type { OutputAnswer, SeenInputs, SeenTransfer } from './output.ts';
import { checksOf } from './output-checks.ts';
import { sentenceOf, wordsOf } from './rpc-words.ts';
import type { OutputCheck } from './verification.ts';

const DISAGREED_AGAIN_MS = 30_000;

/**
 * Combines the answers for the transactions that a provider names. A single proof is enough, with the transfers of all that
 * prove; while one transaction is open, none contradicts.
 */
export function ofNamed(answers: readonly [OutputAnswer, ...OutputAnswer[]]): OutputAnswer {
  const of = (state: OutputAnswer['state']): OutputAnswer | undefined =>
    answers.find((answer) => answer.state === state);
  const [first, ...more] = answers.filter((answer) => answer.state === 'proven');
  if (first === undefined) return of('inconclusive') ?? answers[0];
  const [nearest] = first.transfers;
  const others = [...first.transfers.slice(1), ...more.flatMap(({ transfers }) => transfers)];
  const open = answers.filter((answer) => answer.state === 'inconclusive');
  const openAgainMs = Math.max(...open.map(({ askAgainMs }) => askAgainMs ?? DISAGREED_AGAIN_MS));
  return {
    ...first,
    transfers: [nearest, ...others],
    askAgainMs: longest([first, ...more]),
    ...(open.length === 0 ? {} : { openAgainMs }),
  };
}

/** Combines the answers of several RPCs that each inspected independently: where two differ, nothing is proven. */
export function agree(answers: readonly [OutputAnswer, ...OutputAnswer[]]): OutputAnswer {
  const seenInputs = agreedInputs(answers.map((answer) => answer.seenInputs ?? []));
  const { seenInputs: _ofOne, ...agreed } = agreedOn(answers);
  return seenInputs.length === 0 ? agreed : { ...agreed, seenInputs };
}

/** The inputs that every RPC shows, by which later inspections contradict. */
function agreedInputs([first = [], ...others]: readonly (readonly SeenInputs[])[]): SeenInputs[] {
  return first.filter((one) => others.every((seen) => seen.some((other) => isSameSeen(one, other))));
}

function isSameSeen(one: SeenInputs, other: SeenInputs): boolean {
  return one.txHash === other.txHash && one.spends.join(' ') === other.spends.join(' ');
}

function agreedOn(answers: readonly [OutputAnswer, ...OutputAnswer[]]): OutputAnswer {
  const [first, ...others] = answers;
  const sources = answers.flatMap((answer) => answer.sources);
  const waiting = answers.find((answer) => answer.state === 'inconclusive');
  // An RPC that lags or errs has no result yet, so that the answers do not agree.
  if (waiting !== undefined)
    return {
      ...waiting,
      sources,
      checks: others.length === 0 ? waiting.checks : named(waiting.checks, answers),
    };
  if (first.state === 'proven' && others.every((other) => other.state === 'proven'))
    return proven(first, others, sources) ?? disagreed(answers, sources);
  if (first.state === 'contradicted' && others.every((other) => isSameContradiction(first, other)))
    return { ...first, sources };
  return disagreed(answers, sources);
}

/** Names each RPC that answered, with its answer. */
function disagreed(answers: readonly OutputAnswer[], sources: readonly string[]): OutputAnswer {
  const checks = checksOf({ receipt: { passed: null, detail: sentenceOf(answers) } });
  return { ...inconclusive('rpcs_disagree', DISAGREED_AGAIN_MS, { source: null, checks }), sources };
}

/**
 * If all RPCs agree, the checks of the first stand; otherwise only the check of the chain's id does, and each RPC is named
 * with its answer.
 */
function named(checks: readonly OutputCheck[], answers: readonly OutputAnswer[]): OutputCheck[] {
  const isAlike = new Set(answers.map(wordsOf)).size === 1;
  const receipt = { passed: null, detail: sentenceOf(answers) };
  if (!isAlike)
    return checksOf({ receipt }).map((check) => (check.name === 'chain_id' ? (checks[0] ?? check) : check));
  return checks.map((check) =>
    check.name === 'receipt' && check.passed === null ? { ...check, ...receipt } : check,
  );
}

type Proven = Extract<OutputAnswer, { state: 'proven' }>;

/** Keeps the transfers that every RPC shows, with the depth of the RPC that sees the fewest blocks. Null: there is none. */
function proven(first: Proven, others: readonly Proven[], sources: readonly string[]): OutputAnswer | null {
  const [nearest, ...more] = first.transfers.flatMap((transfer) => {
    const seen = others.map(({ transfers }) => transfers.find((other) => isSame(transfer, other)));
    return seen.includes(undefined) ? [] : [shallowest(transfer, seen as SeenTransfer[])];
  });
  if (nearest === undefined) return null;
  const open = [first, ...others].flatMap(({ openAgainMs }) => openAgainMs ?? []);
  return {
    ...first,
    transfers: [nearest, ...more],
    askAgainMs: longest([first, ...others]),
    ...(open.length === 0 ? {} : { openAgainMs: Math.max(...open) }),
    sources,
  };
}

/** Null: no answer asks for another inspection. */
function longest(answers: readonly Proven[]): number | null {
  const waits = answers.flatMap(({ askAgainMs }) => askAgainMs ?? []);
  return waits.length === 0 ? null : Math.max(...waits);
}

function shallowest(transfer: SeenTransfer, others: readonly SeenTransfer[]): SeenTransfer {
  const all = [transfer, ...others];
  return {
    ...transfer,
    confirmations: Math.min(...all.map(({ confirmations }) => confirmations)),
    isFinal: all.every(({ isFinal }) => isFinal),
  };
}

function isSameContradiction(
  first: Extract<OutputAnswer, { state: 'contradicted' }>,
  other: OutputAnswer,
): boolean {
  if (other.state !== 'contradicted' || other.reason !== first.reason) return false;
  const { transfer: one } = first;
  const { transfer: two } = other;
  return one === null || two === null ? one === two : isSame(one, two);
}

function isSame(one: SeenTransfer, other: SeenTransfer): boolean {
  return (
    one.txHash === other.txHash &&
    one.logIndex === other.logIndex &&
    one.blockHash === other.blockHash &&
    one.amount === other.amount
  );
}
