import { type RpcFinding, tried } from '../rpc/rpc-finding.ts';
import { RpcTrouble } from '../rpc/rpc-trouble.ts';
import type { UtxoNode } from './utxo-node.ts';

/** No transaction has this hash: a server that says so can be asked for one. */
const UNKNOWN = '0'.repeat(64);
/** The script of an address without a known key that gets few payments. */
const NOBODY = `76a914${'0'.repeat(36)}dead88ac`;

/** Checks a server for everything that a proof needs. It never throws because of the server. */
export async function examineServer(node: UtxoNode, chainId: number, now: Date): Promise<RpcFinding[]> {
  const head = await headFinding(node, now);
  if (head instanceof RpcTrouble && head.failure !== 'rpc_stuck')
    return [{ check: 'chain id', isGood: false, isEssential: true, detail: head.message }];
  return [
    { check: 'chain id', isGood: true, isEssential: true, detail: String(chainId) },
    head instanceof RpcTrouble
      ? { check: 'head', isGood: false, isEssential: true, detail: head.message }
      : head,
    await tried('transactions', async () => {
      const isGood = (await node.api.transaction(UNKNOWN)) === null;
      return { isGood, isEssential: false, detail: isGood ? 'answered' : 'shows one that cannot exist' };
    }),
    await tried('addresses', async () => {
      const { transactions } = await node.api.historyOf(NOBODY, null);
      const detail = `answered with ${transactions.length} transactions of one address`;
      return { isGood: true, isEssential: false, detail };
    }),
  ];
}

async function headFinding(node: UtxoNode, now: Date): Promise<RpcFinding | RpcTrouble> {
  try {
    const { latest } = await node.readHead();
    const seconds = Math.round((now.getTime() - latest.at.getTime()) / 1_000);
    const age = seconds < 0 ? `${-seconds} s ahead of this machine's clock` : `${seconds} s old`;
    return { check: 'head', isGood: true, isEssential: true, detail: `block ${latest.number} is ${age}` };
  } catch (error) {
    if (error instanceof RpcTrouble) return error;
    throw error;
  }
}
