import type { Config } from '../../config/config.ts';
import { adapterOf } from '../../chains/adapters.ts';
import type { ChainAdapter } from '../../chains/rpc/chain-adapter.ts';
import { connectionOf, namesOf } from '../../chains/open-chain.ts';
import { kindOf, rulesOf } from '../../domain/chains/chain-kinds.ts';
import { CorrectedClock } from '../../platform/process/corrected-clock.ts';
import { SYSTEM_TIMERS } from '../../platform/scheduling/system-timers.ts';
import { CheckList } from '../../providers/shared/check-list.ts';

/** The finding for a chain whose kind has no witness. */
export const UNREAD = 'Paybell can read no RPC of this kind of chain yet: nothing is proven there';

export interface CheckedRpc {
  /** Contains the chain, and only the host of the URL. */
  readonly name: string;
  readonly check: () => Promise<CheckList>;
}

/** Asks each RPC of CHAIN_RPC for the answers that a proof needs. */
export async function checkRpcs(
  config: Config,
): Promise<{ readonly name: string; readonly list: CheckList }[]> {
  const all = await rpcsOf(config);
  return Promise.all(all.map(async ({ name, check }) => ({ name, list: await check() })));
}

/** Loads the check of each RPC. */
export async function rpcsOf(config: Config): Promise<readonly CheckedRpc[]> {
  const chains = [...(config.chainRpc ?? [])].map(async ([chainId, urls]) => {
    const kind = kindOf(chainId);
    const adapter = kind === null ? null : await adapterOf(kind, chainId);
    const names = namesOf(urls.map((url) => new URL(url).hostname));
    return urls.map((url, at) => ({
      name: `chain ${chainId} ${names[at] ?? ''}`,
      check: async () => (adapter === null ? unread() : checkRpc(config, chainId, adapter, url)),
    }));
  });
  return (await Promise.all(chains)).flat();
}

function unread(): CheckList {
  const list = new CheckList();
  list.notTried('chain id', UNREAD, true);
  return list;
}

async function checkRpc(
  config: Config,
  chainId: number,
  adapter: ChainAdapter,
  url: string,
): Promise<CheckList> {
  const list = new CheckList();
  const surroundings = { clock: new CorrectedClock(), timers: SYSTEM_TIMERS };
  const connection = connectionOf(adapter, url, { ...config.chainRpcAccess, ...surroundings });
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
