import type { Fitting } from '../../domain/proof/match-output.ts';
import type { EvmNode } from './evm-node.ts';
import { balanceAt, type BlockRange, receiptOf, transactionsAt } from './questions.ts';

/**
 * The transaction that first brought the native coin to an address in these blocks, which no log shows: the balance at the end
 * tells that there is one, and halving the blocks finds it. Null where there is none, or where the node does not keep old
 * balances.
 */
export async function coinDeposit(
  node: EvmNode,
  address: string,
  range: BlockRange,
): Promise<Fitting | null> {
  if (((await balance(node, address, range.to)) ?? 0n) === 0n) return null;
  const first = await firstBlockWithCoin(node, address, range);
  const [transactions] = await node.ask(transactionsAt(first));
  const to = address.toLowerCase();
  const payment = transactions?.find((each) => each.to === to && each.value > 0n);
  if (payment === undefined) return null;
  const [receipt] = await node.ask(receiptOf(payment.hash));
  if (receipt === null || !receipt.succeeded || receipt.blockNumber !== first) return null;
  const { txHash, blockNumber, blockHash } = receipt;
  return { txHash, logIndex: null, blockNumber, blockHash, amount: payment.value };
}

/** The balance at the end is not zero. Blocks whose balances the node has dropped count as those before. */
async function firstBlockWithCoin(node: EvmNode, address: string, { from, to }: BlockRange): Promise<number> {
  let without = from - 1;
  let withCoin = to;
  while (withCoin - without > 1) {
    const middle = Math.floor((without + withCoin) / 2);
    const amount = await balance(node, address, middle);
    if (amount !== null && amount > 0n) withCoin = middle;
    else without = middle;
  }
  return withCoin;
}

async function balance(node: EvmNode, address: string, blockNumber: number): Promise<bigint | null> {
  const [amount] = await node.ask(balanceAt(address, blockNumber));
  return amount;
}
