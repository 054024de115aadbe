import { leastOf, mostLikelyFirst } from '../../domain/proof/deposits.ts';
import { isAfterQuote } from '../../domain/proof/judge-output.ts';
import type { SeenDeposit, WatchedDeposit } from '../../domain/proof/output.ts';
import type { ShownTransfer } from '../../domain/proof/shown.ts';
import type { EvmNode } from './evm-node.ts';

/** The most deposits whose blocks are read, the likeliest first. */
const MOST_DEPOSITS = 20;

type Unread = Omit<SeenDeposit, 'at'>;

/**
 * Converts transfers to deposits: all transfers of a token in one transaction are one deposit. An address that pays itself
 * gets nothing.
 */
export async function tokenDeposits(
  node: EvmNode,
  deposit: WatchedDeposit,
  transfers: readonly ShownTransfer[],
): Promise<SeenDeposit[]> {
  const large = ofTransactions(transfers).filter(
    ({ token, amount }) => amount >= (leastOf(deposit, token) ?? amount + 1n),
  );
  // Drops older transfers before their number is cut.
  const from = await firstBlockSince(node, deposit, large);
  const since = large.filter(({ blockNumber }) => blockNumber >= from);
  const read = mostLikelyFirst(since, deposit.asked).slice(0, MOST_DEPOSITS);
  const found: SeenDeposit[] = [];
  for (const each of read) {
    const { hash, at } = await node.blockAt(each.blockNumber);
    if (hash === each.blockHash) found.push({ ...each, at });
  }
  return found;
}

function ofTransactions(transfers: readonly ShownTransfer[]): Unread[] {
  const deposits = new Map<string, Unread>();
  for (const { txHash, blockNumber, blockHash, token, amount, from, to } of transfers) {
    if (from === to) continue;
    const key = `${txHash}:${token}`;
    const sum = amount + (deposits.get(key)?.amount ?? 0n);
    deposits.set(key, { txHash, blockNumber, blockHash, token, amount: sum });
  }
  return [...deposits.values()];
}

/** Finds the first of these blocks that is not older than the payment by binary search: block times only grow. */
async function firstBlockSince(
  node: EvmNode,
  deposit: WatchedDeposit,
  deposits: readonly Unread[],
): Promise<number> {
  const numbers = [...new Set(deposits.map(({ blockNumber }) => blockNumber))].toSorted((a, b) => a - b);
  let [older, newer] = [-1, numbers.length];
  while (newer - older > 1) {
    const middle = Math.floor((older + newer) / 2);
    const block = await node.blockAt(numbers[middle] ?? 0);
    if (isAfterQuote(block, deposit)) newer = middle;
    else older = middle;
  }
  return numbers[newer] ?? Infinity;
}
