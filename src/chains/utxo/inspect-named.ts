import { afterNothing } from '../../domain/proof/ask-again.ts';
import { ofNamed } from '../../domain/proof/agree.ts';
import { inconclusive, judgeReorg } from '../../domain/proof/judge-output.ts';
import type { OutputAnswer, PromisedOutput, SeenTransfer } from '../../domain/proof/output.ts';
import { chainIdCheck, checksOf, contradictingItself } from '../../domain/proof/output-checks.ts';
import type { ChainHead } from '../../domain/proof/shown.ts';
import { RpcTrouble } from '../rpc/rpc-trouble.ts';
import { inputsOf, judgeMined } from './judge-mined.ts';
import { isMined, matchOutputs, type Mined } from './match-outputs.ts';
import { judgeReplaced, replacementOf, type Vanished } from './replacement.ts';
import type { UtxoNode } from './utxo-node.ts';

const HASH = /^(?:0x)?([\da-f]{64})$/i;
/** A provider names one transaction, or one for each of a few parts. */
const MOST_HASHES = 4;
const DISAGREED_AGAIN_MS = 30_000;

/** The hash as servers take it; null: it is none of these chains. */
export function namedHash(text: string): string | null {
  return HASH.exec(text)?.[1]?.toLowerCase() ?? null;
}

export function readableHashes({ txHashes }: Pick<PromisedOutput, 'txHashes'>): string[] {
  return [...new Set(txHashes.flatMap((each) => namedHash(each) ?? []))].slice(0, MOST_HASHES);
}

/** Inspects the transactions that a provider names. */
export async function inspectNamed(
  node: UtxoNode,
  output: PromisedOutput,
  txHashes: readonly [string, ...string[]],
  now: Date,
): Promise<OutputAnswer> {
  const [nearest, ...more] = txHashes;
  const first = await inspectTransaction(node, output, { txHash: nearest, provenBy: null }, now);
  const others: OutputAnswer[] = [];
  for (const txHash of more)
    others.push(await inspectTransaction(node, output, { txHash, provenBy: null }, now));
  const seenInputs = [first, ...others].flatMap((answer) => answer.seenInputs ?? []);
  return { ...ofNamed([first, ...others]), seenInputs };
}

/** Inspects the proof of a payment again. */
export async function inspectAgain(
  node: UtxoNode,
  output: PromisedOutput,
  provenBy: SeenTransfer,
  now: Date,
): Promise<OutputAnswer> {
  const { txHash } = provenBy;
  const answer = await inspectTransaction(node, output, { txHash, provenBy }, now);
  if (answer.state !== 'contradicted' || answer.reason === 'double_spent') return answer;
  return { ...answer, reason: 'output_reorged', transfer: provenBy };
}

async function inspectTransaction(
  node: UtxoNode,
  output: PromisedOutput,
  asked: Vanished,
  now: Date,
): Promise<OutputAnswer> {
  const head = await node.readHead();
  const { txHash } = asked;
  const transaction = await node.api.transaction(txHash);
  if (transaction === null) return judgeMissing(node, output, asked, head, now);
  if (isMined(transaction))
    return doubted(node, output, transaction, await judgeMined(node, output, transaction, head));
  const answer = unproven('not_in_block', `The transaction ${txHash} is in no block yet.`, node, output, now);
  return { ...answer, seenInputs: [inputsOf(transaction)] };
}

/**
 * Before a transaction contradicts, the recipient's history is asked for a fitting output of it: a server in error contradicts
 * itself.
 */
async function doubted(
  node: UtxoNode,
  output: PromisedOutput,
  { txHash, block }: Mined,
  answer: OutputAnswer,
): Promise<OutputAnswer> {
  if (answer.state !== 'contradicted' || answer.reason === 'output_missing') return answer;
  const { transactions } = await node.historyOf(output.recipient, block.at);
  const listed = transactions.find((each) => each.txHash === txHash);
  if (listed === undefined || matchOutputs(output, listed).kind !== 'fits') return answer;
  const inspected = { source: node.host, checks: contradictingItself(output.chainId) };
  return inconclusive('rpc_contradicts_itself', DISAGREED_AGAIN_MS, inspected);
}

/** A missing transaction contradicts nothing, unless it was the proof or was replaced. */
async function judgeMissing(
  node: UtxoNode,
  output: PromisedOutput,
  vanished: Vanished,
  head: ChainHead,
  now: Date,
): Promise<OutputAnswer> {
  const { txHash, provenBy } = vanished;
  const replacement = await replacementOf(node, output, vanished);
  if (replacement !== null) return judgeReplaced(node, output, vanished, replacement, head, now);
  if (provenBy === null)
    return unproven('not_found', `The RPC does not have the transaction ${txHash}.`, node, output, now);
  // The time is not known: the head's makes the wait the usual one.
  const block = await node.blockAt({ number: provenBy.blockNumber, at: head.latest.at });
  if (block.hash === '' || block.hash === provenBy.blockHash)
    throw new RpcTrouble('rpc_error', 'lacks the block or the transaction of a proof', DISAGREED_AGAIN_MS);
  const { host: source, needed } = node;
  return judgeReorg(output, { provenBy, source, block, head, needed });
}

function unproven(
  reason: 'not_found' | 'not_in_block',
  detail: string,
  node: UtxoNode,
  { chainId, since }: PromisedOutput,
  now: Date,
): OutputAnswer {
  const checks = checksOf({ ...chainIdCheck(chainId), receipt: { passed: null, detail } });
  return inconclusive(reason, afterNothing(since, now), { source: node.host, checks });
}
