import { afterNothing } from '../../domain/proof/ask-again.ts';
import { inconclusive, judgeOutput, judgeReorg } from '../../domain/proof/judge-output.ts';
import type { Fitting, Match } from '../../domain/proof/match-output.ts';
import type { OutputAnswer, PromisedOutput, SeenDeposit, WatchedDeposit } from '../../domain/proof/output.ts';
import { chainIdCheck, checksOf, resultsAlone } from '../../domain/proof/output-checks.ts';
import { type ChainHead, depthOf } from '../../domain/proof/shown.ts';
import {
  readSimulatedDeposit,
  readSimulatedHash,
  simulatedDepositHash,
  type SimulatedKind,
  type SimulatedOutput,
} from '../../domain/proof/simulated-output.ts';
import { blockOf, type BlockTimes, finalAt, headOf, numberAt, replacedBlock } from './sandbox-chain.ts';

/** Stands for an RPC's host. */
const SOURCE = 'sandbox';
/** How long after the quote the payer pays an address whose deposit the provider does not see, at speed 1. */
const DEPOSIT_AFTER_MS = 20_000;
type Differing = Pick<Extract<Match, { kind: 'differs' }>, 'failed' | 'reason'>;

/** The check that fails although an amount would fit. */
const FAILED: ReadonlyMap<SimulatedKind, Differing> = new Map([
  ['output_missing', { failed: 'token', reason: 'output_missing' }],
  ['output_reverted', { failed: 'receipt', reason: 'output_reverted' }],
  ['other_recipient', { failed: 'recipient', reason: 'other_recipient' }],
  ['other_token', { failed: 'token', reason: 'other_token' }],
]);

/** How long an RPC that is away is not asked again. */
const SILENT_AGAIN_MS = 60_000;

/** Judges an output like an RPC of the simulated chain. The result depends only on the hash and the clock. */
export function inspectSimulated(output: PromisedOutput, times: BlockTimes, now: Date): OutputAnswer {
  const [named] = output.txHashes.flatMap((txHash) => {
    const simulated = readSimulatedHash(txHash);
    return simulated === null ? [] : [{ ...simulated, txHash: txHash.toLowerCase() }];
  });
  if (named?.kind === 'silent') return silent(times);
  const head = headOf(times, now);
  const blockNumber = named === undefined ? null : numberAt(named.minedAt, times);
  if (named === undefined || blockNumber === null || blockNumber > head.latest.number)
    return notFound(output, times, now);
  return timed(inspectMined(output, named, times, head), blockNumber, times, now);
}

function silent({ speed }: BlockTimes): OutputAnswer {
  const receipt = { passed: null, detail: 'The RPC that the sandbox plays does not answer.' };
  return inconclusive('rpc_away', SILENT_AGAIN_MS / speed, {
    source: null,
    checks: resultsAlone({ receipt }),
  });
}

function inspectMined(
  output: PromisedOutput,
  named: Named,
  times: BlockTimes,
  head: ChainHead,
): OutputAnswer {
  if (named.kind === 'output_reorged') return reorged(output, named, times, head);
  if (named.kind === 'double_spent') return doubleSpent(output, named, times, head);
  const answer = judged(output, named, times, head);
  return named.kind === 'output_used_before' ? usedBefore(answer) : answer;
}

/** Asks again when the block is deep enough: blocks of this chain come on time. */
function timed(answer: OutputAnswer, blockNumber: number, times: BlockTimes, now: Date): OutputAnswer {
  if (answer.state === 'contradicted' || answer.askAgainMs === null) return answer;
  const isShallow = answer.state === 'inconclusive' && answer.reason === 'not_confirmed';
  const at = isShallow ? blockOf(blockNumber + times.needed - 1, times).at : finalAt(blockNumber, times);
  return { ...answer, askAgainMs: Math.max(at.getTime() - now.getTime(), 0) };
}

interface Named extends SimulatedOutput {
  readonly txHash: string;
}

function judged(output: PromisedOutput, named: Named, times: BlockTimes, head: ChainHead): OutputAnswer {
  const block = blockOf(numberAt(named.minedAt, times), times);
  const place = { blockNumber: block.number, blockHash: block.hash };
  const logIndex = output.token === null ? null : 0;
  const fitting: Fitting = { txHash: named.txHash, logIndex, ...place, amount: named.amount };
  const match = matchOf(named, fitting, output);
  return judgeOutput(output, { source: SOURCE, match, ...place, block, head, needed: times.needed });
}

function matchOf({ kind, amount }: Named, nearest: Fitting, { leastAmount }: PromisedOutput): Match {
  const failed = FAILED.get(kind);
  const differs = { kind: 'differs', nearest } as const;
  if (failed?.reason === 'output_missing' || failed?.reason === 'output_reverted')
    return { ...differs, ...failed, nearest: null };
  if (failed !== undefined) return { ...differs, ...failed };
  if (amount >= leastAmount) return { kind: 'fits', fitting: [nearest] };
  return { ...differs, failed: 'amount', reason: 'amount_short' };
}

/**
 * Proven until the proof is stored, so that a restart does not skip the reorganisation; then another block replaces the
 * proof's block.
 */
function reorged(output: PromisedOutput, named: Named, times: BlockTimes, head: ChainHead): OutputAnswer {
  const { provenBy } = output;
  if (provenBy !== undefined && provenBy !== null) {
    const block = replacedBlock(provenBy.blockNumber, times);
    return judgeReorg(output, { provenBy, source: SOURCE, block, head, needed: times.needed });
  }
  const number = numberAt(named.minedAt, times);
  // Nothing in the block is final, however late the first inspection comes.
  const unfinished = { ...head, final: Math.min(head.final ?? 0, number - 1) };
  return judged(output, named, times, unfinished);
}

/** Another transaction is in the block in its place, as only chains of outputs show it. */
function doubleSpent(
  { chainId }: PromisedOutput,
  { txHash, minedAt }: Named,
  times: BlockTimes,
  { final }: ChainHead,
): OutputAnswer {
  const number = numberAt(minedAt, times);
  const detail = `The transaction ${txHash} is not on the chain: another one in block ${number} spends its input.`;
  const checks = checksOf({ ...chainIdCheck(chainId), receipt: { passed: false, detail } });
  if (final === null || number > final) return inconclusive('not_final', 0, { source: SOURCE, checks });
  return { state: 'contradicted', reason: 'double_spent', transfer: null, checks, sources: [SOURCE] };
}

/** Answers like the database when another payment has taken the transfer. */
function usedBefore(answer: OutputAnswer): OutputAnswer {
  if (answer.state !== 'proven') return answer;
  const [transfer] = answer.transfers;
  const { sources } = answer;
  const detail = 'It has proven another payment before.';
  const checks = answer.checks.map((check) =>
    check.name === 'unused' ? { ...check, passed: false, detail } : check,
  );
  if (transfer.isFinal)
    return { state: 'contradicted', reason: 'output_used_before', transfer, checks, sources };
  return inconclusive('not_final', 0, { source: SOURCE, checks });
}

function notFound({ chainId, since, txHashes }: PromisedOutput, times: BlockTimes, now: Date): OutputAnswer {
  const detail = `The RPC does not have the transaction ${txHashes.join(', ')}.`;
  const checks = checksOf({ ...chainIdCheck(chainId), receipt: { passed: null, detail } });
  return inconclusive('not_found', soon(since, times, now), { source: SOURCE, checks });
}

/** When to ask again, as for an RPC, in the sandbox's time. */
function soon(since: Date, { speed }: BlockTimes, now: Date): number {
  const passedMs = (now.getTime() - since.getTime()) * speed;
  return afterNothing(since, new Date(since.getTime() + passedMs)) / speed;
}

/** The deposit to an address that encodes its amount, once its block is final. */
export function inspectSimulatedDeposit(
  { token, depositAddress, since }: WatchedDeposit,
  times: BlockTimes,
  now: Date,
): SeenDeposit[] {
  const amount = readSimulatedDeposit(depositAddress);
  if (amount === null) return [];
  const head = headOf(times, now);
  const { number, hash, at } = blockOf(
    numberAt(new Date(since.getTime() + DEPOSIT_AFTER_MS / times.speed), times),
    times,
  );
  if (!depthOf(number, head, times.needed).isFinal) return [];
  const txHash = simulatedDepositHash(depositAddress);
  return [{ txHash, blockNumber: number, blockHash: hash, at, token, amount }];
}
