import type { Config } from '../../config/config.ts';
import { checkRpcs, UNREAD } from '../provider/rpc-check.ts';
import type { Findings } from './findings.ts';

const ADVICE = 'Name another RPC in CHAIN_RPC: docs/running/proof.md has what one needs.';
/** Another RPC would not help. */
const UNREAD_ADVICE =
  'Take the chain out of CHAIN_RPC: VERIFY=require refuses its quotes, and VERIFY_UNPROVABLE=allow completes them by word.';

/** The RPCs that prove completions, as `paybell provider check` asks them. */
export async function examineRpcs(config: Config, findings: Findings): Promise<void> {
  if (config.chainRpc === null) {
    if (config.verify === 'off')
      return findings.off('proof', 'VERIFY is off: the word of the provider counts');
    if (config.simulatesChain)
      return findings.ok('proof', 'a simulated chain proves the payments of the sandbox, and no real money');
    const detail = `VERIFY is ${config.verify}, and CHAIN_RPC names no chain: nothing is proven`;
    return findings.warning('proof', detail, 'Set CHAIN_RPC: docs/running/proof.md.');
  }
  for (const { name, list } of await checkRpcs(config)) {
    const told = list.lines.map(({ check, detail }) => `${check} ${detail}`).join('; ');
    if (list.lines.some(({ detail }) => detail === UNREAD)) findings.warning(name, told, UNREAD_ADVICE);
    else if (!list.isGood) findings.wrong(name, told, ADVICE);
    else if (list.lines.some(({ outcome }) => outcome !== 'ok')) findings.warning(name, told, ADVICE);
    else findings.ok(name, told);
  }
}
