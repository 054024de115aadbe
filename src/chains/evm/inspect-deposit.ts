import { afterNothing } from '../../domain/proof/ask-again.ts';
import { isAfterQuote, seen } from '../../domain/proof/judge-output.ts';
import type { DepositAnswer, SeenTransfer, WatchedDeposit } from '../../domain/proof/output.ts';
import type { Fitting } from '../../domain/proof/match-output.ts';
import type { ChainHead } from '../../domain/proof/shown.ts';
import type { EvmNode } from './evm-node.ts';
import { hash } from './hexadecimal.ts';
import { coinDeposit } from './coin-deposit.ts';
import { receiptOf } from './questions.ts';
import { blockBefore } from './search-output.ts';

const MOST_HASHES = 3;
/** How many transfers in a searched range are inspected: those before the payment do not count. */
const MOST_CANDIDATES = 10;

/** Searches for the oldest deposit since the payment was made, in a final block. */
export async function inspectDeposit(
  node: EvmNode,
  deposit: WatchedDeposit,
  now: Date,
): Promise<DepositAnswer> {
  const head = await node.readHead();
  const named = await namedDeposit(node, deposit);
  const shown =
    (named === null ? null : await finalOf(node, named, head, deposit)) ??
    (await firstFinal(node, await searchedDeposits(node, deposit, head), head, deposit));
  return { deposit: shown, askAgainMs: shown === null ? afterNothing(deposit.since, now) : null };
}

async function firstFinal(
  node: EvmNode,
  found: readonly Fitting[],
  head: ChainHead,
  deposit: WatchedDeposit,
): Promise<SeenTransfer | null> {
  for (const each of found) {
    const shown = await finalOf(node, each, head, deposit);
    if (shown !== null) return shown;
  }
  return null;
}

/** Null also for a transfer that is older than the payment: an address may be of several, one after the other. */
async function finalOf(
  node: EvmNode,
  found: Fitting,
  head: ChainHead,
  deposit: WatchedDeposit,
): Promise<SeenTransfer | null> {
  const transfer = seen(found, head, node.needed);
  if (!transfer.isFinal) return null;
  const block = await node.blockAt(found.blockNumber);
  return block.hash === found.blockHash && isAfterQuote(block, deposit) ? transfer : null;
}

/** By the transactions that a payer passed on. */
async function namedDeposit(node: EvmNode, deposit: WatchedDeposit): Promise<Fitting | null> {
  const { depositAddress: to, token } = deposit;
  for (const txHash of deposit.txHashes.flatMap((each) => hash(each) ?? []).slice(0, MOST_HASHES)) {
    const [receipt] = await node.ask(receiptOf(txHash));
    if (receipt === null || !receipt.succeeded) continue;
    const transfer = receipt.transfers.find(
      (each) => each.to === to && each.token === token && each.amount > 0n,
    );
    if (transfer !== undefined) return transfer;
    if (token !== null) continue;
    const paid = await node.coin.paidBy(receipt);
    if (paid.to === to && paid.value > 0n) return { ...receipt, logIndex: null, amount: paid.value };
  }
  return null;
}

/** The oldest first. */
async function searchedDeposits(
  node: EvmNode,
  { token, depositAddress, since }: WatchedDeposit,
  head: ChainHead,
): Promise<readonly Fitting[]> {
  if (head.final === null) return [];
  const range = { from: await blockBefore(node, since, head), to: head.final };
  if (range.from > range.to) return [];
  if (token === null) {
    if (!node.coin.hasOldBalances) return [];
    const found = await coinDeposit(node, depositAddress, range);
    return found === null ? [] : [found];
  }
  const transfers = await node.transfersIn({ token, to: depositAddress }, range);
  return transfers
    .filter(({ amount }) => amount > 0n)
    .toSorted((one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex)
    .slice(0, MOST_CANDIDATES);
}
