import type { ShownBlock } from '../../domain/proof/shown.ts';
import type { Mined } from './match-outputs.ts';
import type { UtxoNode } from './utxo-node.ts';

/** By how much the clocks of a block and of a payment usually differ. */
const SURE_MS = 15_000;

/**
 * Whether a block was mined since a time, although its own clock may be hours behind: a block that was has only younger
 * followers. Null: there is no next block yet.
 */
export async function isMinedSince(node: UtxoNode, block: ShownBlock, since: Date): Promise<boolean | null> {
  if (isSurelySince(block, since)) return true;
  const next = await node.api.blockAt(block.number + 1);
  return next === null ? null : next.at.getTime() >= since.getTime();
}

/** Leaves out transactions whose blocks may be older. Usually no block has to be read. */
export async function minedSince(
  node: UtxoNode,
  transactions: readonly Mined[],
  since: Date,
): Promise<ReadonlySet<string>> {
  const doubtful = transactions.map(({ block }) => block).filter((block) => !isSurelySince(block, since));
  const byNumber = new Map(doubtful.map((block) => [block.number, block]));
  let first = Infinity;
  for (const block of [...byNumber.values()].toSorted((one, other) => other.number - one.number)) {
    if ((await isMinedSince(node, block, since)) !== true) break;
    first = block.number;
  }
  const isSince = ({ block }: Mined): boolean => isSurelySince(block, since) || block.number >= first;
  return new Set(transactions.filter(isSince).map(({ txHash }) => txHash));
}

function isSurelySince({ at }: ShownBlock, since: Date): boolean {
  return at.getTime() >= since.getTime() - SURE_MS;
}
