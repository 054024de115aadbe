import { leastOf, mostLikelyFirst } from '../../domain/proof/deposits.ts';
import { isAfterQuote } from '../../domain/proof/judge-output.ts';
import type { SeenDeposit, WatchedDeposit } from '../../domain/proof/output.ts';
import type { ChainHead } from '../../domain/proof/shown.ts';
import { isMined, type Mined, receivedBy, unclearWith } from './match-outputs.ts';
import { readableHashes } from './inspect-named.ts';
import { minedSince } from './mined-since.ts';
import type { UtxoNode } from './utxo-node.ts';

/** The most deposits whose blocks are read, the likeliest first. */
const MOST_DEPOSITS = 20;

/** Finds deposits to an address in final blocks since the payment was created, and those that a payer passed on. */
export async function inspectDeposit(
  node: UtxoNode,
  deposit: WatchedDeposit,
): Promise<readonly SeenDeposit[]> {
  const least = leastOf(deposit, null);
  if (least === null) return [];
  const head = await node.readHead();
  const { transactions } = await node.historyOf(deposit.depositAddress, deposit.since);
  const all = new Map([...(await named(node, deposit)), ...transactions].map((each) => [each.txHash, each]));
  const counted = [...all.values()].filter((each) => isCounted(node, deposit, each, head));
  const large = counted.filter((each) => depositOf(deposit, each).amount >= least);
  const young = await minedSince(node, large, deposit.since);
  const deposits = large.filter(({ txHash }) => young.has(txHash)).map((each) => depositOf(deposit, each));
  const found: SeenDeposit[] = [];
  for (const each of mostLikelyFirst(deposits, deposit.asked).slice(0, MOST_DEPOSITS))
    if ((await node.api.blockHashAt(each.blockNumber)) === each.blockHash) found.push(each);
  return found;
}

async function named(node: UtxoNode, { txHashes }: WatchedDeposit): Promise<Mined[]> {
  const found: Mined[] = [];
  for (const txHash of readableHashes({ txHashes })) {
    const transaction = await node.api.transaction(txHash);
    if (transaction !== null && isMined(transaction)) found.push(transaction);
  }
  return found;
}

function isCounted(node: UtxoNode, deposit: WatchedDeposit, transaction: Mined, latest: ChainHead): boolean {
  const { final } = node.depthFor(transaction, latest).head;
  return (
    final !== null &&
    transaction.block.number <= final &&
    isAfterQuote(transaction.block, deposit) &&
    unclearWith(transaction, deposit.depositAddress, node.chain) === null
  );
}

function depositOf({ depositAddress }: WatchedDeposit, transaction: Mined): SeenDeposit {
  const { txHash, block } = transaction;
  const amount = receivedBy(depositAddress, transaction).reduce((sum, each) => sum + each.amount, 0n);
  return { txHash, blockNumber: block.number, blockHash: block.hash, at: block.at, token: null, amount };
}
