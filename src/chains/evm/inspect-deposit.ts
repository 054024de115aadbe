import { leastOf } from '../../domain/proof/deposits.ts';
import type { SeenDeposit, WatchedDeposit } from '../../domain/proof/output.ts';
import type { ShownReceipt } from '../../domain/proof/shown.ts';
import { coinDeposits } from './coin-deposits.ts';
import type { EvmNode } from './evm-node.ts';
import { hash } from './hexadecimal.ts';
import { receiptOf } from './questions.ts';
import { RpcTrouble } from '../rpc/rpc-trouble.ts';
import { blockBefore } from './search-output.ts';
import { tokenDeposits } from './token-deposits.ts';

const MOST_HASHES = 5;

/**
 * Finds deposits to an address in final blocks since the payment was created, both of the requested token and of other tokens.
 */
export async function inspectDeposit(
  node: EvmNode,
  deposit: WatchedDeposit,
): Promise<readonly SeenDeposit[]> {
  const head = await node.readHead();
  if (head.final === null) return [];
  const { token, depositAddress, since } = deposit;
  const range = { from: await blockBefore(node, since, head), to: head.final };
  if (range.from > range.to) return [];
  const named = await namedReceipts(node, deposit, range.to);
  const transfers = named.flatMap((receipt) => receipt.transfers.filter(({ to }) => to === depositAddress));
  const searched = (tokens: string | readonly string[]) => async () =>
    tokens.length === 0 ? [] : node.transfersIn({ token: tokens, to: depositAddress }, range);
  const others = deposit.others.flatMap((other) => other.token ?? []);
  const ofTokens = async (search: ReturnType<typeof searched>) =>
    tokenDeposits(node, deposit, await search());
  const coinLeast = leastOf(deposit, null);
  // The searches run independently: a flood of transfers in one search hides nothing from the others.
  return found([
    () => ofTokens(async () => transfers),
    () => ofTokens(searched(token ?? [])),
    () => ofTokens(searched(others)),
    async () => (coinLeast === null ? [] : coinDeposits(node, deposit, { named, range, least: coinLeast })),
  ]);
}

/** Reads the transactions that a payer passed on. */
async function namedReceipts(
  node: EvmNode,
  { txHashes }: WatchedDeposit,
  final: number,
): Promise<readonly ShownReceipt[]> {
  const hashes = txHashes.flatMap((each) => hash(each) ?? []).slice(0, MOST_HASHES);
  const receipts = hashes.length === 0 ? [] : await node.ask(...hashes.map(receiptOf));
  return receipts.filter(
    (receipt): receipt is ShownReceipt =>
      receipt !== null && receipt.succeeded && receipt.blockNumber <= final,
  );
}

/** Throws if nothing is found and a way failed, and in any case for an RPC of another chain. */
async function found(ways: readonly (() => Promise<readonly SeenDeposit[]>)[]): Promise<SeenDeposit[]> {
  const deposits = new Map<string, SeenDeposit>();
  let trouble: RpcTrouble | null = null;
  for (const way of ways)
    try {
      for (const each of await way())
        deposits.set(`${each.txHash ?? each.blockHash}:${each.token ?? ''}`, each);
    } catch (error) {
      if (!(error instanceof RpcTrouble) || error.failure === 'wrong_chain') throw error;
      trouble ??= error;
    }
  if (deposits.size === 0 && trouble !== null) throw trouble;
  return [...deposits.values()];
}
