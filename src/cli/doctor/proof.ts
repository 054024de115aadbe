import type { Config } from '../../config/config.ts';
import { type CheckedRpc, rpcsOf, UNREAD } from '../provider/rpc-check.ts';
import type { CheckLine, CheckList } from '../../providers/shared/check-list.ts';
import { ADVICE } from './advice.ts';
import type { Examination, Findings } from './findings.ts';
import { inTime } from './in-time.ts';

/** Loads the checks of the RPCs that prove completions, as `paybell provider check` asks them. */
export async function proofExamination(config: Config): Promise<Examination> {
  if (config.chainRpc === null) return async (findings) => noteWithout(config, findings);
  const rpcs = await rpcsOf(config);
  return (findings) => examineProof(config, rpcs, findings);
}

/** RPCs without a fault share a line. */
async function examineProof(
  { verify }: Config,
  rpcs: readonly CheckedRpc[],
  findings: Findings,
): Promise<void> {
  const checked = await Promise.allSettled(rpcs.map(({ check }) => inTime(check())));
  const good: string[] = [];
  for (const [index, result] of checked.entries()) {
    const name = rpcs[index]?.name ?? '';
    if (result.status === 'rejected') findings.failed(name, result.reason, ADVICE.rpc);
    else if (isAsNeeded(name, result.value, findings)) good.push(name);
  }
  if (good.length > 0) findings.ok('proof', `VERIFY is ${verify}; as a proof needs: ${good.join(', ')}`);
}

/** Notes what the RPC lacks; true if a proof has all that it needs. */
function isAsNeeded(name: string, list: CheckList, findings: Findings): boolean {
  const told = list.lines.map(wordsOf).join('; ');
  if (list.lines.some(({ detail }) => detail === UNREAD)) findings.warning(name, told, ADVICE.chain);
  else if (!list.isGood) findings.wrong(name, told, ADVICE.rpc);
  else if (list.lines.some(({ outcome }) => outcome !== 'ok')) findings.warning(name, told, ADVICE.rpc);
  else return true;
  return false;
}

function noteWithout({ verify, simulatesChain }: Config, findings: Findings): void {
  if (verify === 'off') return findings.off('proof', 'VERIFY is off: the word of the provider counts');
  if (simulatesChain)
    return findings.ok('proof', 'a simulated chain proves the payments of the sandbox, and no real money');
  const detail = `VERIFY is ${verify}, and CHAIN_RPC names no chain: nothing is proven`;
  findings.warning('proof', detail, ADVICE.proof);
}

/** `logs answered for 2000 blocks at once`; trouble of the RPC itself needs no name of a check before it. */
function wordsOf({ check, outcome, detail }: CheckLine): string {
  return check === 'chain id' && outcome === 'differs' ? detail : `${check} ${detail}`;
}
