import { type Counted, MOST_LISTED, type UpTo } from '../../ports/attention.ts';
import { PROOF_TROUBLES, type ProofTrouble } from '../../ports/proof-figures.ts';
import { RPC_PROBLEMS, type RpcProblem, type SeenRpcTrouble } from '../../ports/rpc-trouble.ts';
import { type AttentionItem, type Code, counted, itemOf, verb } from './attention-item.ts';

/** The words about payments, after their number. */
const WORDS: Readonly<Record<ProofTrouble, readonly [code: Code, one: string, several: string]>> = {
  contradicted: [
    'payments_contradicted',
    'is reported as completed, and its chain shows otherwise.',
    'are reported as completed, and their chains show otherwise.',
  ],
  unverified: [
    'payments_unverified',
    'is reported as completed, and no chain has proven it in time.',
    'are reported as completed, and no chain has proven them in time.',
  ],
  depositUnseen: [
    'deposits_unseen',
    'has a deposit on its chain that its provider does not report.',
    'have deposits on their chains that their providers do not report.',
  ],
};

export function proofItems(troubles: Readonly<Record<ProofTrouble, UpTo>>): AttentionItem[] {
  return PROOF_TROUBLES.flatMap((trouble) => {
    const upTo = troubles[trouble];
    const [code, one, several] = WORDS[trouble];
    if (upTo.count === 0) return [];
    const detail = `${counted(upTo, 'payment')} ${verb(upTo.count, one, several)}`;
    return [itemOf(code, { ...upTo, detail })];
  });
}

const RPC_CODES: Readonly<Record<RpcProblem, Code>> = { disagrees: 'rpc_disagrees', stuck: 'rpc_stuck' };

/** The RPCs that processes see in trouble, and how many payments wait on their chains. */
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
    return [itemOf(RPC_CODES[problem], { count, isMore, since, detail: [...details, waits].join(' ') })];
  });
}
