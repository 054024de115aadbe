import type { Config } from '../../config/config.ts';
import { checkRpcs } from '../provider/rpc-check.ts';
import type { Findings } from './findings.ts';

const ADVICE = 'Name another RPC in CHAIN_RPC: docs/running/proof.md has what one needs.';

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
    if (!list.isGood) findings.wrong(name, told, ADVICE);
    else if (list.lines.some(({ outcome }) => outcome !== 'ok')) findings.warning(name, told, ADVICE);
    else findings.ok(name, told);
  }
}
