import type { Config } from '../../config/config.ts';
import { checkRpcs, UNREAD } from '../provider/rpc-check.ts';
import type { CheckLine } from '../../providers/shared/check-list.ts';
import { ADVICE } from './advice.ts';
import { type Findings, LIMIT_MS } from './findings.ts';

/** The RPCs that prove completions, as `paybell provider check` asks them. RPCs without a fault share a line. */
export async function examineProof(config: Config, findings: Findings): Promise<void> {
  const { chainRpc, verify } = config;
  if (chainRpc === null) return noteWithout(config, findings);
  const checked = await checkRpcs(config, LIMIT_MS);
  const good: string[] = [];
  for (const { name, list } of checked) {
    const told = list.lines.map(wordsOf).join('; ');
    if (list.lines.some(({ detail }) => detail === UNREAD)) findings.warning(name, told, ADVICE.chain);
    else if (!list.isGood) findings.wrong(name, told, ADVICE.rpc);
    else if (list.lines.some(({ outcome }) => outcome !== 'ok')) findings.warning(name, told, ADVICE.rpc);
    else good.push(name);
  }
  if (good.length > 0) findings.ok('proof', `VERIFY is ${verify}; as a proof needs: ${good.join(', ')}`);
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
