import { afterNothing, bounded } from '../../domain/proof/ask-again.ts';
import { inconclusive, isAfterQuote, judgeOutput } from '../../domain/proof/judge-output.ts';
import { type Fitting, isEnough, nearestFirst } from '../../domain/proof/match-output.ts';
import type { OutputAnswer, PromisedOutput } from '../../domain/proof/output.ts';
import { chainIdCheck, checksOf } from '../../domain/proof/output-checks.ts';
import type { ChainHead, ShownBlock } from '../../domain/proof/shown.ts';
import type { EvmNode } from './evm-node.ts';

const MARGIN_MS = 60_000;
/** How many transfers that fit are inspected. */
const MOST_CANDIDATES = 5;

/** Searches for transfers of a token to the recipient since the quote. It proves, and never contradicts: a node may lack logs. */
export async function searchOutput(node: EvmNode, output: PromisedOutput, now: Date): Promise<OutputAnswer> {
  const { token, recipient, since } = output;
  const nothing = { source: node.host, checks: checksOf(chainIdCheck(output.chainId)) };
  if (token === null) return inconclusive('coin_without_hash', null, nothing);
  const head = await node.readHead();
  const from = await blockBefore(node, since, head);
  const transfers = await node.transfersIn({ token, to: recipient }, { from, to: head.latest.number });
  const fitting = nearestFirst(transfers.filter(({ amount }) => isEnough(amount, output))).slice(
    0,
    MOST_CANDIDATES,
  );
  const answers: OutputAnswer[] = [];
  for (const each of fitting) {
    const block = await node.blockAt(each.blockNumber);
    if (isAfterQuote(block, output)) answers.push(judgeFound(node, output, each, block, head));
  }
  const proven = answers.filter((answer) => answer.state === 'proven');
  const [first, ...others] = proven;
  if (first === undefined)
    return answers[0] ?? inconclusive('no_transfer_found', afterNothing(since, now), nothing);
  const waits = proven.flatMap(({ askAgainMs }) => askAgainMs ?? []);
  return {
    ...first,
    transfers: [first.transfers[0], ...others.flatMap((other) => other.transfers)],
    askAgainMs: waits.length === 0 ? null : bounded(Math.max(...waits)),
  };
}

function judgeFound(
  node: EvmNode,
  output: PromisedOutput,
  found: Fitting,
  block: ShownBlock,
  head: ChainHead,
): OutputAnswer {
  const { host: source, needed } = node;
  const { blockNumber, blockHash } = found;
  const match = { kind: 'fits', fitting: [found] } as const;
  return judgeOutput(output, { source, match, blockNumber, blockHash, block, head, needed });
}

/** The number of a block that is older than this time, half as many blocks more as seem to be needed: their times vary. */
export async function blockBefore(node: EvmNode, since: Date, head: ChainHead): Promise<number> {
  const passedMs = Math.max(head.latest.at.getTime() - since.getTime() + MARGIN_MS, 0);
  const blocks = Math.ceil((passedMs / (await node.blockMs(head))) * 1.5);
  return Math.max(head.latest.number - blocks, 0);
}
