import { untilFinal } from '../../domain/proof/ask-again.ts';
import { inconclusive } from '../../domain/proof/judge-output.ts';
import {
  type OutputAnswer,
  outputKey,
  type PromisedOutput,
  type SeenTransfer,
} from '../../domain/proof/output.ts';
import { chainIdCheck, checksOf, foundBySearch } from '../../domain/proof/output-checks.ts';
import type { ChainHead } from '../../domain/proof/shown.ts';
import { judgeMined, keyOf } from './judge-mined.ts';
import { isMined, matchOutputs, type Mined, unclearWith } from './match-outputs.ts';
import { searchOutput } from './search-output.ts';
import type { UtxoNode } from './utxo-node.ts';

const OUTPOINT = /^([\da-f]{64}):(\d{1,10})$/;

/** A transaction that no server has any more. */
export interface Vanished {
  readonly txHash: string;
  /** The payment's proof, if the transaction was it. */
  readonly provenBy: SeenTransfer | null;
}

/** The transaction in a block that spends an output which the vanished one was seen to spend; null: none is known. */
export async function replacementOf(
  node: UtxoNode,
  { seenInputs = [] }: PromisedOutput,
  { txHash }: Vanished,
): Promise<Mined | null> {
  const { spends = [] } = seenInputs.find((seen) => seen.txHash === txHash) ?? {};
  for (const text of spends) {
    const [, spentHash, index] = OUTPOINT.exec(text) ?? [];
    if (spentHash === undefined) continue;
    const by = await node.api.spenderOf({ txHash: spentHash, index: Number(index) });
    const spender = by === null || by === txHash ? null : await node.api.transaction(by);
    if (spender === null || !isMined(spender)) continue;
    const isSpending = spender.inputs.some((input) => input.spends !== null && keyOf(input.spends) === text);
    const { hash } = await node.blockAt(spender.block);
    if (isSpending && hash === spender.block.hash) return spender;
  }
  return null;
}

/**
 * Judges a transaction that was replaced. A replacement that pays the recipient as promised proves, since payers replace their
 * own transactions to pay a higher fee. Any other one contradicts once its block is final, unless a search finds a proof.
 */
export async function judgeReplaced(
  node: UtxoNode,
  output: PromisedOutput,
  vanished: Vanished,
  replacement: Mined,
  head: ChainHead,
  now: Date,
): Promise<OutputAnswer> {
  const { txHash, provenBy } = vanished;
  if (!isElsewhere(node, output, replacement)) {
    const answer = await judgeMined(node, output, replacement, head);
    return answer.state === 'proven' ? foundBySearch(answer, [txHash]) : answer;
  }
  const { block } = replacement;
  const isFinal = head.final !== null && block.number <= head.final;
  const detail = `The transaction ${txHash} is not on the chain: ${replacement.txHash} in block ${block.number} spends its input.`;
  const receipt = { receipt: { passed: false, detail } };
  const inspected = { source: node.host, checks: checksOf({ ...chainIdCheck(output.chainId), ...receipt }) };
  if (!isFinal) return inconclusive('not_final', untilFinal(output.chainId, block, head), inspected);
  if (provenBy === null) {
    const { answer, isWhole } = await searchOutput(node, output, now);
    if (answer.state === 'proven') return foundBySearch(answer, [txHash]);
    // Another transaction may pay the recipient among those that were not read, or in a young block.
    if (!isWhole || answer.state !== 'inconclusive' || answer.reason !== 'no_transfer_found') return answer;
  }
  const { source, checks } = inspected;
  return { state: 'contradicted', reason: 'double_spent', transfer: provenBy, checks, sources: [source] };
}

/** False: the replacement may pay this payment. */
function isElsewhere(node: UtxoNode, output: PromisedOutput, replacement: Mined): boolean {
  if (unclearWith(replacement, output.recipient, node.chain) !== null) return false;
  const match = matchOutputs(output, replacement);
  return match.kind !== 'fits' || match.fitting.every((each) => output.used?.has(outputKey(each)) === true);
}
