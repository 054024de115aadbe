import { isAfterQuote } from '../../domain/proof/judge-output.ts';
import type { SeenDeposit, WatchedDeposit } from '../../domain/proof/output.ts';
import type { ShownBlock, ShownReceipt } from '../../domain/proof/shown.ts';
import type { ShownTransaction } from './evm-answers.ts';
import type { EvmNode } from './evm-node.ts';
import { type BlockRange, receiptOf, transactionsAt } from './questions.ts';
import { riseOf, risesIn } from './balance-rises.ts';

/** The most blocks whose transactions are read, and the most receipts of one block. */
const MOST_BLOCKS = 8;
const MOST_RECEIPTS = 10;

interface Looked {
  /** The transactions that a payer passed on. */
  readonly named: readonly ShownReceipt[];
  readonly range: BlockRange;
  readonly least: bigint;
}

/**
 * Finds deposits of the native coin, which no log shows. Balances show the blocks, and a block's transactions show the
 * senders; the remainder came from a contract.
 */
export async function coinDeposits(
  node: EvmNode,
  deposit: WatchedDeposit,
  { named, range, least }: Looked,
): Promise<SeenDeposit[]> {
  const { depositAddress } = deposit;
  if (!node.coin.hasOldBalances) return namedDeposits(node, deposit, named, least);
  const rises = new Map<number, bigint | null>(await risesIn(node, depositAddress, range, least));
  for (const { blockNumber } of named)
    if (!rises.has(blockNumber)) rises.set(blockNumber, await riseOf(node, depositAddress, blockNumber));
  const deposits: SeenDeposit[] = [];
  for (const [blockNumber, rise] of [...rises].slice(-MOST_BLOCKS)) {
    const block = await node.blockAt(blockNumber);
    if (isAfterQuote(block, deposit))
      deposits.push(...(await ofBlock(node, deposit, { block, rise, named })));
  }
  return deposits.filter(({ amount }) => amount >= least);
}

/** For a chain whose nodes keep no balances of old blocks: reads only the transactions that a payer passed on. */
async function namedDeposits(
  node: EvmNode,
  deposit: WatchedDeposit,
  named: readonly ShownReceipt[],
  least: bigint,
): Promise<SeenDeposit[]> {
  const deposits: SeenDeposit[] = [];
  for (const receipt of named) {
    const { txHash, blockNumber, blockHash } = receipt;
    const { to, value: amount } = await node.coin.paidBy(receipt);
    if (to !== deposit.depositAddress || amount < least) continue;
    const block = await node.blockAt(blockNumber);
    if (block.hash === blockHash && isAfterQuote(block, deposit))
      deposits.push({ txHash, blockNumber, blockHash, at: block.at, token: null, amount });
  }
  return deposits;
}

async function ofBlock(
  node: EvmNode,
  { depositAddress: to }: WatchedDeposit,
  { block, rise, named }: { block: ShownBlock; rise: bigint | null; named: readonly ShownReceipt[] },
): Promise<SeenDeposit[]> {
  const [answer] = await node.ask(transactionsAt(block.number));
  const transactions = (answer ?? []).filter(({ blockHash }) => blockHash === block.hash);
  const direct = transactions
    .filter((each) => each.to === to && each.value > 0n)
    .toSorted((one, other) => (one.value < other.value ? 1 : -1))
    .slice(0, MOST_RECEIPTS);
  const succeeded = await whichSucceeded(node, direct);
  const found = { blockNumber: block.number, blockHash: block.hash, at: block.at, token: null };
  const deposits = succeeded.map(({ hash: txHash, value: amount }) => ({ ...found, txHash, amount }));
  const explained = deposits.reduce((sum, { amount }) => sum + amount, 0n);
  if (rise === null || rise <= explained) return deposits;
  const others = transactions.filter((each) => each.to !== to);
  const txHash = await senderAmong(node, others, { to, named });
  return [...deposits, { ...found, txHash, amount: rise - explained }];
}

/**
 * The transaction by which a contract sent the coin: the one that the payer named, or the only one whose data contains the
 * address, or the only one of the block. Null: the block does not show it.
 */
async function senderAmong(
  node: EvmNode,
  transactions: readonly ShownTransaction[],
  { to, named }: { to: string; named: readonly ShownReceipt[] },
): Promise<string | null> {
  const ways = [
    transactions.filter(({ hash }) => named.some(({ txHash }) => txHash === hash)),
    transactions.filter(({ data }) => data.includes(to.slice(2))),
    transactions,
  ];
  const likely = ways.find((each) => each.length > 0) ?? [];
  const [sender] = likely.length === 1 ? await whichSucceeded(node, likely) : [];
  return sender?.hash ?? null;
}

async function whichSucceeded(
  node: EvmNode,
  transactions: readonly ShownTransaction[],
): Promise<readonly ShownTransaction[]> {
  const receipts =
    transactions.length === 0 ? [] : await node.ask(...transactions.map(({ hash }) => receiptOf(hash)));
  return transactions.filter((_, index) => receipts[index]?.succeeded === true);
}
