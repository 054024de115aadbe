import { afterNothing, untilFinal, FINAL_SHARED_MS } from '../../domain/proof/ask-again.ts';
import { inconclusive, isAfterQuote, judgeOutput, seen } from '../../domain/proof/judge-output.ts';
import { type Fitting, fittingOf } from '../../domain/proof/match-output.ts';
import { type OutputAnswer, outputKey, type PromisedOutput } from '../../domain/proof/output.ts';
import { chainIdCheck, checksOf } from '../../domain/proof/output-checks.ts';
import type { ChainHead, ShownBlock } from '../../domain/proof/shown.ts';
import type { EvmNode } from './evm-node.ts';

const MARGIN_MS = 60_000;
/** How many transfers are offered as the proof: payments at the same time each take another one. */
const MOST_CANDIDATES = 50;

/** Searches for transfers of a token to the recipient since the quote. It proves, and never contradicts: a node may lack logs. */
export async function searchOutput(node: EvmNode, output: PromisedOutput, now: Date): Promise<OutputAnswer> {
  const { since } = output;
  const nothing = { source: node.host, checks: checksOf(chainIdCheck(output.chainId)) };
  if (output.token === null) return inconclusive('coin_without_hash', null, nothing);
  const head = await node.readHead();
  const blocks = new KnownBlocks(node);
  const found = await unusedTransfers(node, output, head);
  const [nearest, ...more] = (await notOlder(found, output, blocks)).slice(0, MOST_CANDIDATES);
  if (nearest === undefined) return inconclusive('no_transfer_found', afterNothing(since, now), nothing);
  const { host: source, needed } = node;
  const { blockNumber, blockHash } = nearest;
  const block = await blocks.at(blockNumber);
  const match = { kind: 'fits', fitting: [nearest] } as const;
  const answer = judgeOutput(output, { source, match, blockNumber, blockHash, block, head, needed });
  if (answer.state !== 'proven') return answer;
  const others = more.map((each) => seen(each, head, needed)).filter((each) => each.confirmations >= needed);
  const isFinal = others.every((each) => each.isFinal);
  const askAgainMs =
    answer.askAgainMs ?? (isFinal ? null : untilFinal(output.chainId, block, head) + FINAL_SHARED_MS);
  return { ...answer, transfers: [answer.transfers[0], ...others], askAgainMs };
}

/** Of the recipient's transfers, those that fit, that prove no other payment and that are no larger than another payment's. */
async function unusedTransfers(
  node: EvmNode,
  output: PromisedOutput,
  head: ChainHead,
): Promise<readonly Fitting[]> {
  const { token, recipient, since, mostAmount, used = new Set<string>() } = output;
  const range = { from: await blockBefore(node, since, head), to: head.latest.number };
  const all = await node.transfersIn({ token, to: recipient }, range);
  const received = all.filter((each) => each.amount <= mostAmount && !used.has(outputKey(each)));
  const fitting = fittingOf(output, received, received);
  if (fitting.length === 0) return [];
  const numbers = fitting.map(({ blockNumber }) => blockNumber);
  const within = { from: Math.min(...numbers), to: Math.max(...numbers) };
  const paidOut = await node.transfersIn({ token, to: recipient, isOut: true }, within);
  return paidOut.length === 0 ? fitting : fittingOf(output, received, [...all, ...paidOut]);
}

/** Blocks grow younger with their numbers, so that halving their list finds the first one that is not older than the quote. */
async function notOlder(
  fitting: readonly Fitting[],
  output: PromisedOutput,
  blocks: KnownBlocks,
): Promise<Fitting[]> {
  const numbers = [...new Set(fitting.map(({ blockNumber }) => blockNumber))].toSorted((a, b) => a - b);
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (isAfterQuote(await blocks.at(numbers[middle] as number), output)) to = middle;
    else from = middle + 1;
  }
  const first = numbers[from] ?? Infinity;
  return fitting.filter(({ blockNumber }) => blockNumber >= first);
}

/** The blocks that a search has asked for. */
class KnownBlocks {
  private readonly known = new Map<number, ShownBlock>();

  constructor(private readonly node: EvmNode) {}

  async at(number: number): Promise<ShownBlock> {
    const block = this.known.get(number) ?? (await this.node.blockAt(number));
    this.known.set(number, block);
    return block;
  }
}

/** The number of a block that is older than this time, half as many blocks more as seem to be needed: their times vary. */
export async function blockBefore(node: EvmNode, since: Date, head: ChainHead): Promise<number> {
  const passedMs = Math.max(head.latest.at.getTime() - since.getTime() + MARGIN_MS, 0);
  const blocks = Math.ceil((passedMs / (await node.blockMs(head))) * 1.5);
  return Math.max(head.latest.number - blocks, 0);
}
