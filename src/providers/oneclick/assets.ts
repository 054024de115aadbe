import { CHAINS } from '../../domain/chains/chains.ts';
import { ProviderUnavailable } from '../../ports/payment-provider.ts';
import type { Timers } from '../../ports/timers.ts';
import { fieldsOf, readWord } from '../shared/fields.ts';
import { KeptList } from '../shared/kept-list.ts';
import type { ListedAsset } from '../shared/listed-assets.ts';
import { readDecimals } from '../shared/raw-amount.ts';
import { shownAddress, ZERO_ADDRESS } from '../shared/vm-addresses.ts';
import { type JsonApi, valueOrError } from '../shared/json-api.ts';

/** A token at 1Click. */
export interface Asset extends ListedAsset {
  /** 1Click's own id, which is opaque. */
  readonly id: string;
  /** 1Click's name of the chain. */
  readonly word: string;
}

/** 1Click's names of chains, where they differ from our short names. */
const CHAIN_WORDS: Readonly<Record<string, string>> = {
  bsc: 'bnb',
  pol: 'matic',
  hlevm: 'hyperevm',
  tron: 'trx',
  stellar: 'xlm',
  aptos: 'apt',
  cardano: 'ada',
  starknet: 'strk',
};
const CHAINS_BY_NAME = new Map(CHAINS.map((chain) => [chain.shortName, chain]));
/** A chain's own coin has no contract: null, nothing, or this word. */
const COIN = 'coin';
const DEPRECATED = /_?\(DEPRECATED\)$/i;
/** `BTC(OMNI)` is BTC: the bridge is not part of the symbol. */
const BRIDGE = /\([A-Z]+\)$/;
const FRESH_MS = 600_000;

export type Assets = readonly Asset[];

/** The tokens that 1Click lists, read at most every ten minutes. */
export class OneClickAssets extends KeptList<Assets> {
  constructor(api: Pick<JsonApi, 'get'>, timers: Timers) {
    super("1Click's tokens", FRESH_MS, () => readAssets(api), timers);
  }
}

async function readAssets(api: Pick<JsonApi, 'get'>): Promise<Assets> {
  const answer = valueOrError(await api.get('/v0/tokens'));
  // 1Click cannot refuse the input of this GET, which has none.
  const assets = answer.kind === 'json' ? parseAssets(answer.value) : null;
  if (assets === null) throw new ProviderUnavailable('unreadable answer');
  return assets;
}

/** Null when the value is no list. If two rows have one token, the first that is not deprecated counts. */
export function parseAssets(value: unknown): Assets | null {
  if (!Array.isArray(value)) return null;
  const assets = new Map<string, Asset>();
  for (const row of value) {
    const asset = parseAsset(row);
    if (asset === null) continue;
    const key = `${asset.chain.id}:${asset.address}`;
    if (!assets.has(key)) assets.set(key, asset);
  }
  return [...assets.values()];
}

/** 1Click may name a token by another of its ids; the decimals of amounts are checked separately. */
export function isToken(id: unknown, asset: Asset): boolean {
  return id === asset.id || id === `1cs_v1:${asset.word}:native:coin`;
}

function parseAsset(row: unknown): Asset | null {
  const { assetId, blockchain, symbol, decimals, contractAddress } = fieldsOf(row);
  const id = readWord(assetId);
  const word = readWord(blockchain) ?? '';
  const chain = CHAINS_BY_NAME.get(CHAIN_WORDS[word] ?? word);
  const words = readWord(symbol);
  const digits = readDecimals(decimals);
  if (id === null || chain === undefined || words === null || digits === null || DEPRECATED.test(words))
    return null;
  const contract = readWord(contractAddress);
  const isNative = contract === null || contract === COIN;
  return {
    id,
    chain,
    word,
    address: isNative ? ZERO_ADDRESS : shownAddress(contract, chain.vmType),
    symbol: isNative ? chain.nativeToken : words.replace(BRIDGE, ''),
    decimals: digits,
  };
}
