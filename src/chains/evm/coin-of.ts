import type { PromisedOutput } from '../../domain/proof/output.ts';
import { isEnough } from '../../domain/proof/match-output.ts';
import type { ShownCoin, ShownGain, ShownReceipt } from '../../domain/proof/shown.ts';
import type { ShownTransaction } from './evm-answers.ts';
import { balanceAt, transactionOf, transactionsAt } from './questions.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { RpcTrouble } from '../rpc/rpc-trouble.ts';

/** The gas of a transaction that runs no contract. */
const PLAIN_GAS = 21_000n;
const NO_DATA = '0x';
const DISAGREED_AGAIN_MS = 30_000;

/** The native coin that a transaction brought to the recipient; if a contract ran, also the coin that its block brought. */
export async function coinOf(
  rpc: Pick<Rpc, 'ask'>,
  output: PromisedOutput,
  receipt: ShownReceipt,
): Promise<ShownCoin> {
  const transaction = await transactionIn(rpc, receipt);
  const { from, to, value, data } = transaction;
  const isPlain = data === NO_DATA && receipt.gasUsed === PLAIN_GAS;
  const gain = isPlain || !receipt.succeeded ? null : await gainOf(rpc, output, receipt, transaction);
  return { from, to, value, isPlain, gain };
}

/** The transaction of a receipt. Throws RpcTrouble if the RPC has no transaction, or not this one. */
export async function transactionIn(
  rpc: Pick<Rpc, 'ask'>,
  { txHash, blockHash }: ShownReceipt,
): Promise<ShownTransaction> {
  const [transaction] = await rpc.ask(transactionOf(txHash));
  if (transaction === null || transaction.blockHash !== blockHash)
    throw new RpcTrouble('rpc_error', 'has a receipt and not its transaction', DISAGREED_AGAIN_MS);
  return transaction;
}

/** True if the block's balances or list of transactions show more than the transaction alone. */
export async function blockShowsCoin(
  rpc: Pick<Rpc, 'ask'>,
  output: PromisedOutput,
  receipt: ShownReceipt,
): Promise<boolean> {
  const { recipient } = output;
  const found = await gainOfBlock(rpc, recipient, receipt);
  if (found === null) return false;
  const listed = found.transactions.find(({ hash }) => hash === receipt.txHash);
  const isListed = listed?.to === recipient && isEnough(listed.value, output);
  return isListed || isEnough(found.byContracts, output);
}

async function gainOf(
  rpc: Pick<Rpc, 'ask'>,
  output: PromisedOutput,
  receipt: ShownReceipt,
  { hash, data }: ShownTransaction,
): Promise<ShownGain | null> {
  const { recipient } = output;
  const found = await gainOfBlock(rpc, recipient, receipt);
  if (found === null) return null;
  const { inAll, byContracts: ofContracts, transactions } = found;
  const digits = recipient.slice(2);
  const others = transactions.filter((each) => each.hash !== hash && !isPlain(each));
  const isNamed = data.includes(digits) || receipt.logged.includes(digits);
  const naming = others.filter((each) => each.data.includes(digits));
  const payers = isNamed || others.length === 0 ? 1 + naming.length : 0;
  return { inAll, byContracts: ofContracts, payers };
}

interface GainOfBlock {
  readonly inAll: bigint;
  readonly byContracts: bigint;
  readonly transactions: readonly ShownTransaction[];
}

/** Counts the value of a failed transaction as if it had arrived: so the remainder understates the part of contracts. */
async function gainOfBlock(
  rpc: Pick<Rpc, 'ask'>,
  recipient: string,
  { blockNumber, blockHash }: ShownReceipt,
): Promise<GainOfBlock | null> {
  if (blockNumber === 0) return null;
  const [after, before, transactions] = await rpc.ask(
    balanceAt(recipient, blockNumber),
    balanceAt(recipient, blockNumber - 1),
    transactionsAt(blockNumber),
  );
  if (after === null || before === null || transactions === null) return null;
  if (!transactions.every((each) => each.blockHash === blockHash)) return null;
  const inAll = after - before;
  const sent = transactions.filter(({ from, to }) => to === recipient && from !== recipient);
  const direct = sent.reduce((sum, { value }) => sum + value, 0n);
  return { inAll, byContracts: inAll - direct, transactions };
}

function isPlain({ data, gas }: ShownTransaction): boolean {
  return data === NO_DATA && gas === PLAIN_GAS;
}
