import { afterNothing } from '../../domain/proof/ask-again.ts';
import { seen } from '../../domain/proof/judge-output.ts';
import type { DepositAnswer, SeenTransfer, WatchedDeposit } from '../../domain/proof/output.ts';
import type { Fitting } from '../../domain/proof/match-output.ts';
import type { ChainHead } from '../../domain/proof/shown.ts';
import type { EvmNode } from './evm-node.ts';
import { hash } from './hexadecimal.ts';
import { coinDeposit } from './coin-deposit.ts';
import { receiptOf, transactionOf } from './questions.ts';
import { blockBefore } from './search-look.ts';

const MOST_HASHES = 3;

/** Looks for the oldest deposit in a final block. */
export async function lookAtDeposit(
  node: EvmNode,
  deposit: WatchedDeposit,
  now: Date,
): Promise<DepositAnswer> {
  const head = await node.readHead();
  const found = (await namedDeposit(node, deposit)) ?? (await searchedDeposit(node, deposit, head));
  const shown = found === null ? null : await finalOf(node, found, head);
  return { deposit: shown, askAgainMs: shown === null ? afterNothing(deposit.since, now) : null };
}

async function finalOf(node: EvmNode, found: Fitting, head: ChainHead): Promise<SeenTransfer | null> {
  const transfer = seen(found, head, node.needed);
  if (!transfer.isFinal) return null;
  const block = await node.blockAt(found.blockNumber);
  return block.hash === found.blockHash ? transfer : null;
}

/** By the transactions that a payer passed on. */
async function namedDeposit(node: EvmNode, deposit: WatchedDeposit): Promise<Fitting | null> {
  const to = deposit.depositAddress.toLowerCase();
  for (const txHash of deposit.txHashes.flatMap((each) => hash(each) ?? []).slice(0, MOST_HASHES)) {
    const [receipt] = await node.ask(receiptOf(txHash));
    if (receipt === null || !receipt.succeeded) continue;
    const token = deposit.token?.toLowerCase();
    const transfer = receipt.transfers.find(
      (each) => each.to === to && each.token === token && each.amount > 0n,
    );
    if (transfer !== undefined) return transfer;
    if (deposit.token !== null) continue;
    const [transaction] = await node.ask(transactionOf(txHash));
    if (transaction?.to === to && transaction.value > 0n)
      return { ...receipt, logIndex: null, amount: transaction.value };
  }
  return null;
}

async function searchedDeposit(
  node: EvmNode,
  { token, depositAddress, since }: WatchedDeposit,
  head: ChainHead,
): Promise<Fitting | null> {
  if (head.final === null) return null;
  const range = { from: await blockBefore(node, since, head), to: head.final };
  if (range.from > range.to) return null;
  if (token === null) return coinDeposit(node, depositAddress, range);
  const transfers = await node.transfersIn({ token, to: depositAddress }, range);
  const [first] = transfers
    .filter(({ amount }) => amount > 0n)
    .toSorted((one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex);
  return first ?? null;
}
