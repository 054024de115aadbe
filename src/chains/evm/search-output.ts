import { afterNothing, untilFinal, FINAL_SHARED_MS } from '../../domain/proof/ask-again.ts';
import { inconclusive, isAfterQuote, judgeOutput, seen } from '../../domain/proof/judge-output.ts';
import { type Fitting, fittingOf } from '../../domain/proof/match-output.ts';
import { type OutputAnswer, outputKey, type PromisedOutput } from '../../domain/proof/output.ts';
import { chainIdCheck, checksOf } from '../../domain/proof/output-checks.ts';
import type { ChainHead, ShownBlock } from '../../domain/proof/shown.ts';
import type { EvmNode } from './evm-node.ts';

const MARGIN_MS = 60_000;
/** How many transfers are offered as the proof: each of several simultaneous payments takes a different one. */
const MOST_CANDIDATES = 50;
const NONE: ReadonlySet<string> = new Set();
const NOT_SEARCHED =
  'The provider names no transaction that is known, and a native coin cannot be searched for.';

/**
 * Searches for transfers of a token to the recipient since the quote. A result proves; a missing one never contradicts, since
 * a node may lack logs.
 */
export async function searchOutput(node: EvmNode, output: PromisedOutput, now: Date): Promise<OutputAnswer> {
  const { since } = output;
  const nothing = (why: string) => ({
    source: node.host,
    checks: checksOf({ ...chainIdCheck(output.chainId), receipt: { passed: null, detail: why } }),
  });
  if (output.token === null) return inconclusive('coin_without_hash', null, nothing(NOT_SEARCHED));
  const head = await node.readHead();
  const blocks = new KnownBlocks(node);
  const { fitting, all } = await fittingTransfers(node, output, head);
  const { used = NONE } = output;
  const free = fitting.filter((each) => !used.has(outputKey(each)));
  const [nearest, ...more] = (await notOlder(free, output, blocks)).slice(0, MOST_CANDIDATES);
  if (nearest === undefined) {
    const why = nothing(whyNone(all, fitting.length - free.length));
    return inconclusive('no_transfer_found', afterNothing(since, now), why);
  }
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

/** `used`: the number of transfers that would fit but prove other payments. */
function whyNone(all: number, used: number): string {
  const found = `The provider names no transaction that is known. ${all} transfers of the token to the recipient were found`;
  const others = used === 0 ? '' : ` ${used} of them prove other payments.`;
  return `${found}.${others} None of the others came since the quote, is as large as promised and at most twice that, and stayed.`;
}

interface Found {
  readonly fitting: readonly Fitting[];
  /** How many transfers the recipient got in the searched time. */
  readonly all: number;
}

/** The recipient's transfers that fit and are not larger than this payment may take. */
async function fittingTransfers(node: EvmNode, output: PromisedOutput, head: ChainHead): Promise<Found> {
  const { token, recipient, since, mostAmount } = output;
  const range = { from: await blockBefore(node, since, head), to: head.latest.number };
  const all = await node.transfersIn({ token, to: recipient }, range);
  const received = all.filter((each) => each.amount <= mostAmount);
  const fitting = fittingOf(output, received, all);
  if (fitting.length === 0) return { fitting, all: all.length };
  const numbers = fitting.map(({ blockNumber }) => blockNumber);
  const within = { from: Math.min(...numbers), to: Math.max(...numbers) };
  const paidOut = await node.transfersIn({ token, to: recipient, isOut: true }, within);
  const kept = paidOut.length === 0 ? fitting : fittingOf(output, received, [...all, ...paidOut]);
  return { fitting: kept, all: all.length };
}

/** Block times grow with block numbers, so that a binary search finds the first block that is not older than the quote. */
async function notOlder(
  fitting: readonly Fitting[],
  output: PromisedOutput,
  blocks: KnownBlocks,
): Promise<Fitting[]> {
  const numbers = [...new Set(fitting.map(({ blockNumber }) => blockNumber))].toSorted((a, b) => a - b);
  const [oldest] = numbers;
  // Usually none is older.
  if (oldest === undefined || isAfterQuote(await blocks.at(oldest), output)) return [...fitting];
  let [from, to] = [1, numbers.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (isAfterQuote(await blocks.at(numbers[middle] as number), output)) to = middle;
    else from = middle + 1;
  }
  const first = numbers[from] ?? Infinity;
  return fitting.filter(({ blockNumber }) => blockNumber >= first);
}

/** The blocks that a search has read. */
class KnownBlocks {
  private readonly known = new Map<number, ShownBlock>();

  constructor(private readonly node: EvmNode) {}

  async at(number: number): Promise<ShownBlock> {
    const block = this.known.get(number) ?? (await this.node.blockAt(number));
    this.known.set(number, block);
    return block;
  }
}

/**
 * The number of a block that is older than this time. Block times vary, so that the estimated distance is taken one and a half
 * times.
 */
export async function blockBefore(node: EvmNode, since: Date, head: ChainHead): Promise<number> {
  const passedMs = Math.max(head.latest.at.getTime() - since.getTime() + MARGIN_MS, 0);
  const blocks = Math.ceil((passedMs / (await node.blockMs(head))) * 1.5);
  return Math.max(head.latest.number - blocks, 0);
}
