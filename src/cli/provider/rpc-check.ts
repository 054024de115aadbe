import type { Config } from '../../config/config.ts';
import { kindOf } from '../../chains/chain-kinds.ts';
import { examineRpc } from '../../chains/evm/rpc-exam.ts';
import { namesOf, rpcOf } from '../../chains/rpc-witness.ts';
import { CorrectedClock } from '../../platform/process/corrected-clock.ts';
import { SYSTEM_TIMERS } from '../../platform/scheduling/system-timers.ts';
import { CheckList } from './check-list.ts';

/** Asks each RPC of CHAIN_RPC for what a proof needs. `name` has the chain and the host, and nothing else of its URL. */
export async function checkRpcs(
  config: Config,
): Promise<{ readonly name: string; readonly list: CheckList }[]> {
  const all = [...(config.chainRpc ?? [])].flatMap(([chainId, urls]) => {
    const names = namesOf(urls.map((url) => new URL(url).hostname));
    return urls.map((url, at) => ({ chainId, url, name: `chain ${chainId} ${names[at] ?? ''}` }));
  });
  return Promise.all(
    all.map(async ({ chainId, url, name }) => ({ name, list: await checkRpc(config, chainId, url) })),
  );
}

async function checkRpc(config: Config, chainId: number, url: string): Promise<CheckList> {
  const list = new CheckList();
  if (kindOf(chainId) !== 'evm') {
    list.notTried('chain id', 'Paybell can not read this kind of chain: nothing is proven there', true);
    return list;
  }
  const surroundings = { clock: new CorrectedClock(), timers: SYSTEM_TIMERS };
  const options = { ...config.chainRpcAccess, maxRps: config.chainRpcMaxRps, ...surroundings };
  const rpc = rpcOf(url, chainId, options);
  try {
    for (const { check, isGood, isEssential, detail } of await examineRpc(rpc, chainId, surroundings))
      if (isGood) list.ok(check, detail, isEssential);
      else list.differs(check, detail, isEssential);
  } finally {
    await rpc.close();
  }
  return list;
}
