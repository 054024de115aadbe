import { afterNothing, FINAL_SHARED_MS, untilFinal } from '../../domain/proof/ask-again.ts';
import { inconclusive, isAfterQuote, judgeOutput, seen } from '../../domain/proof/judge-output.ts';
import type { Fitting } from '../../domain/proof/match-output.ts';
import {
  type OutputAnswer,
  outputKey,
  type PromisedOutput,
  type SeenInputs,
} from '../../domain/proof/output.ts';
import { chainIdCheck, checksOf } from '../../domain/proof/output-checks.ts';
import { type ChainHead, depthOf } from '../../domain/proof/shown.ts';
import { inputsOf } from './judge-mined.ts';
import { fittingOutputs, isCoinbase, type Mined, receivedBy, unclearWith } from './match-outputs.ts';
import { minedSince } from './mined-since.ts';
import type { UtxoNode } from './utxo-node.ts';

/** How many outputs are offered as the proof: each of several simultaneous payments takes another one. */
const MOST_CANDIDATES = 50;
/** The number of transactions whose inputs are kept. */
const MOST_SEEN = 5;
const NONE: ReadonlySet<string> = new Set();

export interface Search {
  readonly answer: OutputAnswer;
  /** False: the recipient has more transactions than were read. */
  readonly isWhole: boolean;
}

/**
 * Searches for outputs to the recipient since the quote. A result proves; a missing one never contradicts, since a server may
 * lack a part of the history.
 */
export async function searchOutput(node: UtxoNode, output: PromisedOutput, now: Date): Promise<Search> {
  const { since, recipient, mostAmount, used = NONE } = output;
  const head = await node.readHead();
  const { transactions, isWhole } = await node.historyOf(recipient, since);
  const paying = transactions.filter((each) => isPaying(node, output, each, head));
  const received = paying.flatMap((each) => receivedBy(recipient, each));
  const fitting = fittingOutputs(
    output,
    received.filter(({ amount }) => amount <= mostAmount),
  );
  const free = fitting.filter((each) => !used.has(outputKey(each)));
  const ofFree = paying.filter(({ txHash }) => free.some((each) => each.txHash === txHash));
  const young = await minedSince(node, ofFree, since);
  const [nearest, ...more] = free.filter(({ txHash }) => young.has(txHash)).slice(0, MOST_CANDIDATES);
  const found = nearest && paying.find(({ txHash }) => txHash === nearest.txHash);
  if (nearest === undefined || found === undefined) {
    const detail = whyNone(received.length, fitting.length - free.length, isWhole);
    const checks = checksOf({ ...chainIdCheck(output.chainId), receipt: { passed: null, detail } });
    const inspected = { source: node.host, checks };
    return { isWhole, answer: inconclusive('no_transfer_found', afterNothing(since, now), inspected) };
  }
  const answer = await judged(node, output, found, [nearest, ...more], head);
  return { isWhole, answer: { ...answer, seenInputs: youngInputs(paying, answer, head) } };
}

/** The inputs of the transactions that may need another inspection. */
function youngInputs(paying: readonly Mined[], answer: OutputAnswer, { final }: ChainHead): SeenInputs[] {
  if (answer.state !== 'proven') return [];
  const hashes = new Set(answer.transfers.slice(0, MOST_SEEN).map(({ txHash }) => txHash));
  const young = paying.filter(({ txHash, block }) => hashes.has(txHash) && block.number > (final ?? -1));
  return young.map(inputsOf);
}

async function judged(
  node: UtxoNode,
  output: PromisedOutput,
  transaction: Mined,
  [nearest, ...more]: readonly [Fitting, ...Fitting[]],
  head: ChainHead,
): Promise<OutputAnswer> {
  const { host: source, needed } = node;
  const { blockNumber, blockHash } = nearest;
  const block = await node.blockAt(transaction.block);
  const match = { kind: 'fits', fitting: [nearest] } as const;
  const answer = judgeOutput(output, { source, match, blockNumber, blockHash, block, head, needed });
  if (answer.state !== 'proven') return answer;
  const others = more.map((each) => seen(each, head, needed)).filter((each) => each.confirmations >= needed);
  const isFinal = others.every((each) => each.isFinal);
  const askAgainMs =
    answer.askAgainMs ?? (isFinal ? null : untilFinal(output.chainId, block, head) + FINAL_SHARED_MS);
  return { ...answer, transfers: [answer.transfers[0], ...others], askAgainMs };
}

/** New coins count when they have matured. */
function isPaying(node: UtxoNode, output: PromisedOutput, transaction: Mined, latest: ChainHead): boolean {
  const { head, needed } = node.depthFor(transaction, latest);
  return (
    isAfterQuote(transaction.block, output) &&
    unclearWith(transaction, output.recipient, node.chain) === null &&
    (!isCoinbase(transaction) || depthOf(transaction.block.number, head, needed).isConfirmed)
  );
}

/** `used`: the number of outputs that would fit but prove other payments. */
function whyNone(all: number, used: number, isWhole: boolean): string {
  const found = `The provider names no transaction that is known. ${all} outputs to the recipient were found`;
  const others = used === 0 ? '' : ` ${used} of them prove other payments.`;
  const cut = isWhole ? '' : ' The recipient has too many transactions to read all.';
  return `${found}.${others} None of the others came since the quote, is as large as promised and at most twice that.${cut}`;
}
