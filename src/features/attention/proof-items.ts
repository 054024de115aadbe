import { type Counted, MOST_LISTED } from '../../ports/attention.ts';
import { RPC_PROBLEMS, type RpcProblem, type SeenRpcTrouble } from '../../ports/rpc-trouble.ts';
import { type AttentionItem, type Code, counted, itemOf, verb } from './attention-item.ts';

const RPC_CODES: Readonly<Record<RpcProblem, Code>> = { disagrees: 'rpc_disagrees', stuck: 'rpc_stuck' };

/** RPCs in trouble, as processes see them, and how many payments wait on their chains. */
export function rpcItems(
  troubles: readonly SeenRpcTrouble[],
  waiting: ReadonlyMap<number, Counted>,
): AttentionItem[] {
  return RPC_PROBLEMS.flatMap((problem) => {
    const of = troubles.filter((trouble) => trouble.problem === problem);
    const chains = [...new Set(of.map(({ chainId }) => chainId))];
    if (chains.length === 0) return [];
    const counts = chains.flatMap((chainId) => waiting.get(chainId) ?? []);
    const count = counts.reduce((sum, each) => sum + each.count, 0);
    const isMore = counts.some((each) => each.isMore);
    const details = [...new Set(of.map(({ detail }) => detail))].slice(0, MOST_LISTED);
    const waits = `${counted({ count, isMore }, 'payment')} ${verb(count, 'waits', 'wait')} for a proof there.`;
    const since = new Date(Math.min(...of.map((trouble) => trouble.since.getTime())));
    const href = `/api/payments?${chains.map((chainId) => `awaitingProof=${chainId}`).join('&')}`;
    return [
      itemOf(RPC_CODES[problem], { href, count, isMore, since, detail: [...details, waits].join(' ') }),
    ];
  });
}
