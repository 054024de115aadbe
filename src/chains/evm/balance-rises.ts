import type { EvmNode } from './evm-node.ts';
import { balanceAt, type BlockRange } from './questions.ts';

/** The bounds of one search: about 16 balances locate one block of a day. */
const MOST_BALANCES = 120;
const MOST_RISES = 6;

/** Blocks between two balances. `before` is null where the node has dropped that balance. */
interface Span {
  readonly low: number;
  readonly high: number;
  readonly before: bigint | null;
  readonly after: bigint;
}

/**
 * The blocks in which the balance of an address rose by at least `least`, each with its rise. Halves spans of blocks, the
 * largest rise first, so that many small rises hide no large one. Does not see an amount that came and went within one span.
 */
export async function risesIn(
  node: EvmNode,
  address: string,
  { from, to }: BlockRange,
  least: bigint,
): Promise<[number, bigint][]> {
  const balance = (block: number) => balanceOf(node, address, block);
  const after = await balance(to);
  if (after === null || after < least) return [];
  const spans: Span[] = [{ low: from - 1, high: to, before: await balance(from - 1), after }];
  const rises: [number, bigint][] = [];
  for (let asked = 0; asked < MOST_BALANCES && rises.length < MOST_RISES;) {
    const span = takeLargest(spans);
    if (span === undefined || gainOf(span) < least) break;
    const { low, high, before } = span;
    if (high - low > 1) {
      asked += 1;
      const middle = Math.floor((low + high) / 2);
      const between = await balance(middle);
      spans.push({ ...span, low: middle, before: between });
      if (between !== null) spans.push({ ...span, high: middle, after: between });
    } else if (before !== null) rises.push([high, gainOf(span)]);
  }
  return rises;
}

/** Null where the node does not keep the balances of that block. */
export async function riseOf(node: EvmNode, address: string, block: number): Promise<bigint | null> {
  const after = await balanceOf(node, address, block);
  const before = after === null ? null : await balanceOf(node, address, block - 1);
  return after === null || before === null ? null : after - before;
}

async function balanceOf(node: EvmNode, address: string, block: number): Promise<bigint | null> {
  if (block < 0) return 0n;
  const [amount] = await node.ask(balanceAt(address, block));
  return amount;
}

function takeLargest(spans: Span[]): Span | undefined {
  spans.sort((one, other) => Number(gainOf(one) > gainOf(other)) - Number(gainOf(one) < gainOf(other)));
  return spans.pop();
}

function gainOf({ before, after }: Span): bigint {
  return after - (before ?? 0n);
}
