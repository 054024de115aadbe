import { rulesOf } from '../../domain/chains/chain-kinds.ts';
import { inconclusive, judgeOutput } from '../../domain/proof/judge-output.ts';
import type { OutputAnswer, PromisedOutput, SeenInputs } from '../../domain/proof/output.ts';
import { chainIdCheck, checksOf } from '../../domain/proof/output-checks.ts';
import type { ChainHead } from '../../domain/proof/shown.ts';
import { matchOutputs, type Mined, unclearWith } from './match-outputs.ts';
import { isMinedSince } from './mined-since.ts';
import type { Outpoint, ShownUtxoTransaction } from './utxo-api.ts';
import type { UtxoNode } from './utxo-node.ts';

/** The most inputs that are kept of one transaction: a replacement usually spends them all. */
const MOST_INPUTS = 8;
const UNCLEAR = {
  own_inputs: 'The recipient itself pays a part of the transaction: what arrives is not certain.',
  hidden_amounts: 'A part of the transaction is hidden in an extension block: what arrives is not certain.',
};

/** Judges a transaction in a block. */
export async function judgeMined(
  node: UtxoNode,
  output: PromisedOutput,
  transaction: Mined,
  latest: ChainHead,
): Promise<OutputAnswer> {
  const { host: source } = node;
  const { number: blockNumber, hash: blockHash } = transaction.block;
  const { head, needed } = node.depthFor(transaction, latest);
  const isFinal = head.final !== null && blockNumber <= head.final;
  const seen = isFinal ? {} : { seenInputs: [inputsOf(transaction)] };
  const unclear = unclearWith(transaction, output.recipient, node.chain);
  if (unclear !== null) {
    const recipient = { passed: null, detail: UNCLEAR[unclear] };
    const checks = checksOf({ ...chainIdCheck(output.chainId), recipient });
    return { ...inconclusive(unclear, null, { source, checks }), ...seen };
  }
  const block = await node.blockAt(transaction.block);
  const match = matchOutputs(output, transaction);
  const answer = judgeOutput(output, { source, match, blockNumber, blockHash, block, head, needed });
  return { ...(await timed(node, output, transaction, answer)), ...seen };
}

/** A block whose clock is behind the quote may be older than it: then a proof is none. */
async function timed(
  node: UtxoNode,
  { chainId, since }: PromisedOutput,
  { block }: Mined,
  answer: OutputAnswer,
): Promise<OutputAnswer> {
  const isSince = answer.state !== 'proven' || (await isMinedSince(node, block, since));
  if (isSince === true) return answer;
  const detail = `Its block is of ${block.at.toISOString()}, and may be older than the quote of ${since.toISOString()}.`;
  const checks = answer.checks.map((check) =>
    check.name === 'time' ? { ...check, passed: null, detail } : check,
  );
  const inspected = { source: node.host, checks };
  return isSince === null
    ? inconclusive('not_confirmed', rulesOf(chainId).blockMs, inspected)
    : inconclusive('older_block', null, inspected);
}

export function inputsOf({ txHash, inputs }: ShownUtxoTransaction): SeenInputs {
  const spends = inputs.flatMap((input) => (input.spends === null ? [] : [keyOf(input.spends)]));
  return { txHash, spends: spends.slice(0, MOST_INPUTS) };
}

export function keyOf({ txHash, index }: Outpoint): string {
  return `${txHash}:${index}`;
}
