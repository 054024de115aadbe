import { afterNothing } from '../../domain/proof/ask-again.ts';
import { ofNamed } from '../../domain/proof/agree.ts';
import {
  inconclusive,
  judgeAgain,
  judgeOutput,
  judgeReorg,
  judgeShallow,
} from '../../domain/proof/judge-output.ts';
import { fittingOf, matchCoin, matchToken } from '../../domain/proof/match-output.ts';
import type { OutputAnswer, PromisedOutput, SeenTransfer } from '../../domain/proof/output.ts';
import { chainIdCheck, checksOf, contradictingItself } from '../../domain/proof/output-checks.ts';
import { depthOf, type ShownReceipt } from '../../domain/proof/shown.ts';
import type { EvmNode } from './evm-node.ts';
import { namedHash } from './hexadecimal.ts';
import { blockAt, receiptOf, transfersOfBlock } from './questions.ts';
import { RpcTrouble } from '../rpc/rpc-trouble.ts';

/** A provider names one transaction, or one for each of a few parts. */
const MOST_HASHES = 4;
const DISAGREED_AGAIN_MS = 30_000;

/** The hashes that a provider names, in the form that RPCs take; leaves out hashes of other kinds of chains. */
export function readableHashes({ txHashes }: Pick<PromisedOutput, 'txHashes'>): string[] {
  return [...new Set(txHashes.flatMap((each) => namedHash(each) ?? []))].slice(0, MOST_HASHES);
}

/** Inspects the transactions that a provider names. */
export async function inspectNamed(
  node: EvmNode,
  output: PromisedOutput,
  txHashes: readonly [string, ...string[]],
  now: Date,
): Promise<OutputAnswer> {
  const [nearest, ...more] = txHashes;
  const first = await inspectTransaction(node, output, nearest, now);
  const others: OutputAnswer[] = [];
  for (const txHash of more) others.push(await inspectTransaction(node, output, txHash, now));
  return ofNamed([first, ...others]);
}

/** Inspects the proof of a payment again, with less effort than the first time: a block's hash stands for all its content. */
export async function inspectAgain(
  node: EvmNode,
  output: PromisedOutput,
  provenBy: SeenTransfer,
  now: Date,
): Promise<OutputAnswer> {
  const { head: latest, answer: block } = await node.withHead(blockAt(provenBy.blockNumber));
  // A head that went back belongs to a node that is behind, or to a chain that is being replaced.
  if (block === null) throw new RpcTrouble('rpc_error', 'lacks the block of a proof', DISAGREED_AGAIN_MS);
  const head = await node.headFor(provenBy.blockNumber, latest);
  const shown = { provenBy, source: node.host, block, head, needed: node.needed };
  const same = judgeAgain(output, shown);
  if (same !== null) return same;
  const [receipt] = await node.ask(receiptOf(provenBy.txHash));
  if (receipt === null) return judgeReorg(output, shown);
  const moved = await inspectTransaction(node, output, provenBy.txHash, now);
  return moved.state === 'contradicted' ? { ...moved, reason: 'output_reorged', transfer: provenBy } : moved;
}

async function inspectTransaction(
  node: EvmNode,
  output: PromisedOutput,
  txHash: string,
  now: Date,
): Promise<OutputAnswer> {
  const { host: source, needed } = node;
  const waiting = output.token === null ? null : node.waiting.find(txHash);
  if (waiting !== null) {
    const answer = await inspectWaiting(node, output, waiting);
    if (answer !== null) return answer;
  }
  const { head: latest, answer: receipt } = await node.withHead(receiptOf(txHash));
  if (receipt === null) {
    const receiptCheck = {
      receipt: { passed: null, detail: `The RPC does not have the transaction ${txHash}.` },
    };
    const checks = checksOf({ ...chainIdCheck(output.chainId), ...receiptCheck });
    return inconclusive('not_found', afterNothing(output.since, now), { source, checks });
  }
  const coin = output.token === null ? await node.coin.coinOf(output, receipt) : null;
  const match = coin === null ? matchToken(output, receipt) : matchCoin(output, receipt, coin);
  const { blockNumber, blockHash } = receipt;
  const head = await node.headFor(blockNumber, latest);
  const depth = depthOf(blockNumber, head, needed);
  // The match's block is too young for a final answer.
  if (match.kind === 'fits' ? !depth.isConfirmed : !depth.isFinal) {
    if (match.kind === 'fits' && coin === null) node.waiting.add(receipt);
    return judgeShallow(output, { source, match, blockNumber, head, needed });
  }
  const block = await node.blockAt(blockNumber);
  const answer = judgeOutput(output, { source, match, blockNumber, blockHash, block, head, needed });
  const isDoubtful = answer.state === 'contradicted' && match.kind === 'differs';
  return isDoubtful ? doubted(node, output, receipt, answer) : answer;
}

/**
 * Uses a receipt that fitted when its block was too young. If the chain still has that block, known by its hash, the receipt
 * is not requested again. Null: the chain has another block, or the receipt does not fit this output.
 */
async function inspectWaiting(
  node: EvmNode,
  output: PromisedOutput,
  receipt: ShownReceipt,
): Promise<OutputAnswer | null> {
  const { host: source, needed } = node;
  const { blockNumber, blockHash } = receipt;
  const match = matchToken(output, receipt);
  const { head: latest, answer: block } = await node.withHead(blockAt(blockNumber));
  if (match.kind !== 'fits' || block?.hash !== blockHash) return null;
  const head = await node.headFor(blockNumber, latest);
  return judgeOutput(output, { source, match, blockNumber, blockHash, block, head, needed });
}

/**
 * Before a transaction contradicts, the RPC is asked in another way for a fitting transfer: an RPC in error contradicts
 * itself.
 */
async function doubted(
  node: EvmNode,
  output: PromisedOutput,
  receipt: ShownReceipt,
  answer: OutputAnswer,
): Promise<OutputAnswer> {
  const isThere = await (output.token === null
    ? node.coin.blockShows(output, receipt)
    : logs(node, output, receipt));
  return isThere
    ? inconclusive('rpc_contradicts_itself', DISAGREED_AGAIN_MS, {
        source: node.host,
        checks: contradictingItself(output.chainId),
      })
    : answer;
}

async function logs(node: EvmNode, output: PromisedOutput, receipt: ShownReceipt): Promise<boolean> {
  const filter = { token: output.token, to: output.recipient };
  const [received, paidOut] = await node.ask(
    transfersOfBlock(filter, receipt.blockHash),
    transfersOfBlock({ ...filter, isOut: true }, receipt.blockHash),
  );
  const ofTransaction = [...received, ...paidOut].filter(({ txHash }) => txHash === receipt.txHash);
  const recipient = output.recipient.toLowerCase();
  return (
    fittingOf(
      output,
      ofTransaction.filter(({ to }) => to === recipient),
      ofTransaction,
    ).length > 0
  );
}
