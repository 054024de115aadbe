import type { ShownBlock } from '../../domain/proof/shown.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Timers } from '../../ports/timers.ts';
import { EvmNode } from './evm-node.ts';
import { balanceAt, FINALIZED, LATEST, transfersIn } from './questions.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { RpcTrouble } from '../rpc/rpc-trouble.ts';

export interface RpcFinding {
  readonly check: 'chain id' | 'head' | 'finalized' | 'logs' | 'old balances';
  readonly isGood: boolean;
  /** Nothing can be proven without it. */
  readonly isEssential: boolean;
  readonly detail: string;
}

/** Ranges of blocks that a search may ask for, the longest first. */
const RANGES = [2_000, 200, 20];
/** How far back balances are worth to be kept: as deep as a final block may be. */
const BALANCE_BLOCKS = 1_000;
/** An address without a known key that gets few transfers. */
const NOBODY = `0x${'0'.repeat(36)}dead`;

/** Asks an RPC for all that a proof needs. It never throws for what the RPC does. */
export async function examineRpc(
  rpc: Rpc,
  chainId: number,
  { clock, timers }: { readonly clock: Clock; readonly timers: Timers },
): Promise<RpcFinding[]> {
  const head = await headOf(rpc);
  if (head instanceof RpcTrouble)
    return [{ check: 'chain id', isGood: false, isEssential: true, detail: head.message }];
  const { host } = rpc;
  const node = new EvmNode(rpc, { host, needed: 1, clock, timers, onUnknownTag: () => undefined });
  return [
    { check: 'chain id', isGood: true, isEssential: true, detail: String(chainId) },
    await headFinding(node, clock.now()),
    await tried('finalized', () => finalizedFinding(rpc, head)),
    await tried('logs', () => logsFinding(rpc, head)),
    await tried('old balances', () => balanceFinding(rpc, head)),
  ];
}

async function headOf(rpc: Rpc): Promise<ShownBlock | RpcTrouble> {
  try {
    const [head] = await rpc.ask(LATEST);
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

async function finalizedFinding(rpc: Rpc, head: ShownBlock): Promise<Omit<RpcFinding, 'check'>> {
  const [block] = await rpc.ask(FINALIZED);
  if (block === 'unknown_tag' || block === null) {
    const detail = 'it names none: blocks are final after CHAIN_CONFIRMATIONS';
    return { isGood: false, isEssential: false, detail };
  }
  const behind = Math.max(head.number - block.number, 0);
  return { isGood: true, isEssential: false, detail: `block ${block.number}, ${behind} behind the head` };
}

async function logsFinding(rpc: Rpc, head: ShownBlock): Promise<Omit<RpcFinding, 'check'>> {
  for (const blocks of RANGES) {
    const range = { from: Math.max(head.number - blocks + 1, 0), to: head.number };
    const [transfers] = await rpc.ask(transfersIn({ token: null, to: NOBODY }, range));
    if (transfers !== 'refused')
      return { isGood: true, isEssential: false, detail: `answered for ${blocks} blocks at once` };
  }
  const detail = 'refused even for 20 blocks: payments without a hash are not proven';
  return { isGood: false, isEssential: false, detail };
}

async function balanceFinding(rpc: Rpc, head: ShownBlock): Promise<Omit<RpcFinding, 'check'>> {
  const [amount] = await rpc.ask(balanceAt(NOBODY, Math.max(head.number - BALANCE_BLOCKS, 0)));
  return amount === null
    ? {
        isGood: false,
        isEssential: false,
        detail: `not kept for ${BALANCE_BLOCKS} blocks: coins through contracts may stay unproven`,
      }
    : { isGood: true, isEssential: false, detail: `kept for ${BALANCE_BLOCKS} blocks` };
}

async function tried(
  check: RpcFinding['check'],
  find: () => Promise<Omit<RpcFinding, 'check'>>,
): Promise<RpcFinding> {
  try {
    return { check, ...(await find()) };
  } catch (error) {
    if (!(error instanceof RpcTrouble)) throw error;
    return { check, isGood: false, isEssential: false, detail: error.message };
  }
}
