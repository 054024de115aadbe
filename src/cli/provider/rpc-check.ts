import type { Config } from '../../config/config.ts';
import { adapterOf } from '../../chains/adapters.ts';
import { connectionOf, namesOf } from '../../chains/open-chain.ts';
import { kindOf, rulesOf } from '../../domain/chains/chain-kinds.ts';
import { CorrectedClock } from '../../platform/process/corrected-clock.ts';
import { SYSTEM_TIMERS } from '../../platform/scheduling/system-timers.ts';
import { CheckList } from '../../providers/shared/check-list.ts';

/** The finding for a chain whose kind has no witness. */
export const UNREAD = 'Paybell can read no RPC of this kind of chain yet: nothing is proven there';

/** Asks each RPC of CHAIN_RPC for the answers that a proof needs. `name` contains the chain and only the host of its URL. */
export async function checkRpcs(
  config: Config,
  withinMs?: number,
): Promise<{ readonly name: string; readonly list: CheckList }[]> {
  const all = [...(config.chainRpc ?? [])].flatMap(([chainId, urls]) => {
    const names = namesOf(urls.map((url) => new URL(url).hostname));
    return urls.map((url, at) => ({ chainId, url, name: `chain ${chainId} ${names[at] ?? ''}` }));
  });
  return Promise.all(
    all.map(async ({ chainId, url, name }) => ({
      name,
      list: await checkRpc(config, chainId, url, withinMs),
    })),
  );
}

async function checkRpc(
  config: Config,
  chainId: number,
  url: string,
  timeoutMs: number | undefined,
): Promise<CheckList> {
  const list = new CheckList();
  const kind = kindOf(chainId);
  if (kind === null) {
    list.notTried('chain id', UNREAD, true);
    return list;
  }
  const adapter = await adapterOf(kind, chainId);
  const surroundings = { clock: new CorrectedClock(), timers: SYSTEM_TIMERS };
  const limits = { ...config.chainRpcAccess, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  const connection = connectionOf(adapter, url, { ...limits, ...surroundings });
  const { host } = connection;
  const needed = rulesOf(chainId).confirmations;
  const options = { chainId, host, needed, onUnknownTag: () => undefined, ...surroundings };
  const reader = adapter.readerOf(connection, options);
  try {
    for (const { check, isGood, isEssential, detail } of await reader.examine(surroundings.clock.now()))
      if (isGood) list.ok(check, detail, isEssential);
      else list.differs(check, detail, isEssential);
  } finally {
    await connection.close();
  }
  return list;
}
