import type { ShownBlock } from '../../domain/proof/shown.ts';
import { type RpcFinding, tried } from '../rpc/rpc-finding.ts';
import type { EvmNode } from './evm-node.ts';
import { FINALIZED, LATEST, transfersIn } from './questions.ts';
import { RpcTrouble } from '../rpc/rpc-trouble.ts';

/** Ranges of blocks to try for a search, the longest first. */
const RANGES = [2_000, 200, 20];
/** An address without a known key that gets few transfers. */
const NOBODY = `0x${'0'.repeat(36)}dead`;

/** Checks an RPC for everything that a proof needs. It never throws because of the RPC. */
export async function examineRpc(node: EvmNode, chainId: number, now: Date): Promise<RpcFinding[]> {
  const head = await headOf(node);
  if (head instanceof RpcTrouble)
    return [{ check: 'chain id', isGood: false, isEssential: true, detail: head.message }];
  return [
    { check: 'chain id', isGood: true, isEssential: true, detail: String(chainId) },
    await headFinding(node, now),
    await tried('finalized', () => finalizedFinding(node, head)),
    await tried('logs', () => logsFinding(node, head)),
    await node.coin.examine(head.number, NOBODY),
  ];
}

async function headOf(node: EvmNode): Promise<ShownBlock | RpcTrouble> {
  try {
    const [head] = await node.ask(LATEST);
    return head;
  } catch (error) {
    if (error instanceof RpcTrouble) return error;
    throw error;
  }
}

async function headFinding(node: EvmNode, now: Date): Promise<RpcFinding> {
  const finding = { check: 'head', isEssential: true } as const;
  try {
    const { latest } = await node.readHead();
    const seconds = Math.round((now.getTime() - latest.at.getTime()) / 1_000);
    const age = seconds < 0 ? `${-seconds} s ahead of this machine's clock` : `${seconds} s old`;
    return { ...finding, isGood: true, detail: `block ${latest.number} is ${age}` };
  } catch (error) {
    if (!(error instanceof RpcTrouble)) throw error;
    return { ...finding, isGood: false, detail: error.message };
  }
}

async function finalizedFinding(node: EvmNode, head: ShownBlock): Promise<Omit<RpcFinding, 'check'>> {
  const [block] = await node.ask(FINALIZED);
  if (block === 'unknown_tag' || block === null) {
    const detail = 'it names none: blocks are final after CHAIN_CONFIRMATIONS';
    return { isGood: false, isEssential: false, detail };
  }
  const behind = Math.max(head.number - block.number, 0);
  return { isGood: true, isEssential: false, detail: `block ${block.number}, ${behind} behind the head` };
}

async function logsFinding(node: EvmNode, head: ShownBlock): Promise<Omit<RpcFinding, 'check'>> {
  for (const blocks of RANGES) {
    const range = { from: Math.max(head.number - blocks + 1, 0), to: head.number };
    const [transfers] = await node.ask(transfersIn({ token: null, to: NOBODY }, range));
    if (transfers !== 'refused')
      return { isGood: true, isEssential: false, detail: `answered for ${blocks} blocks at once` };
  }
  const detail = 'refused even for 20 blocks: payments without a hash are not proven';
  return { isGood: false, isEssential: false, detail };
}
