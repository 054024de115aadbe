import { ProviderUnavailable } from '../../../ports/payment-provider.ts';
import type { Timers } from '../../../ports/timers.ts';
import { KeptList } from '../../shared/kept-list.ts';
import { parseChains, type RelayChain } from './parse-chains.ts';
import { valueOrThrow } from '../refusals.ts';
import type { RelayApi } from '../relay-api.ts';

export type Chains = ReadonlyMap<number, RelayChain>;

const FRESH_MS = 300_000;

/** All of Relay's chains, with their payable tokens or none, read at most every five minutes. */
export class RelayChains extends KeptList<Chains> {
  constructor(api: Pick<RelayApi, 'get'>, timers: Timers) {
    super("Relay's chains", FRESH_MS, () => readChains(api), timers);
  }
}

async function readChains(api: Pick<RelayApi, 'get'>): Promise<Chains> {
  const answer = await api.get('/chains');
  // Relay cannot refuse the input of this GET, which has none.
  if (answer.kind === 'error') throw new ProviderUnavailable(`status ${answer.httpStatus}`);
  const chains = parseChains(valueOrThrow(answer));
  if (chains === null) throw new ProviderUnavailable('unreadable answer');
  return chains;
}
