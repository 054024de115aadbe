import { CHAINS } from '../../domain/chains/chains.ts';
import { ProviderUnavailable } from '../../ports/payment-provider.ts';
import type { Timers } from '../../ports/timers.ts';
import { type JsonApi, valueOrError } from '../shared/json-api.ts';
import { fieldsOf, listOf, type Fields } from '../shared/fields.ts';
import { KeptList } from '../shared/kept-list.ts';
import type { ListedAsset } from '../shared/listed-assets.ts';
import { shownAddress, ZERO_ADDRESS } from '../shared/vm-addresses.ts';

/** A token at Chainflip. */
export interface Asset extends ListedAsset {
  /** Chainflip's name of the chain. */
  readonly word: string;
  /** The protocol's own name of the token, such as `ArbUsdc`. */
  readonly internal: string;
}

/** The assets that payers can pay with now, and those that recipients can get. */
export interface Assets {
  readonly from: readonly Asset[];
  readonly to: readonly Asset[];
}

/** Chainflip's name and our id of a chain, then its tokens. Chainflip's API states no addresses and no decimals. */
const TABLE = `
  Ethereum 1: ETH Eth 18
  Ethereum 1: USDC Usdc 6 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48
  Ethereum 1: USDT Usdt 6 0xdAC17F958D2ee523a2206206994597C13D831ec7
  Ethereum 1: WBTC Wbtc 8 0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599
  Ethereum 1: FLIP Flip 18 0x826180541412D574cf1336d22c0C0a287822678A
  Ethereum 1: CBBTC Cbbtc 8 0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf
  Arbitrum 42161: ETH ArbEth 18
  Arbitrum 42161: USDC ArbUsdc 6 0xaf88d065e77c8cC2239327C5EDb3A432268e5831
  Arbitrum 42161: USDT ArbUsdt 6 0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9
  Bitcoin 8253038: BTC Btc 8
  Solana 792703809: SOL Sol 9
  Solana 792703809: USDC SolUsdc 6 EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v
  Solana 792703809: USDT SolUsdt 6 Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB
  Assethub 2100000354: DOT HubDot 10
  Assethub 2100000354: USDC HubUsdc 6 1337
  Assethub 2100000354: USDT HubUsdt 6 1984
  Tron 728126428: TRX Trx 6
  Tron 728126428: USDT TrxUsdt 6 TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t
  Bsc 56: BNB Bnb 18
  Bsc 56: USDT BscUsdt 18 0x55d398326f99059fF775485246999027B3197955
`;
const ROW = /(\w+) (\d+): (\w+) (\w+) (\d+)(?: (\w+))?/g;
const FRESH_MS = 60_000;

/** Every token that the adapter knows; Chainflip says which of them are enabled. */
export const ASSETS: readonly Asset[] = [...TABLE.matchAll(ROW)].flatMap(
  ([, word = '', chainId, symbol = '', internal = '', decimals, address = ZERO_ADDRESS]) => {
    const chain = CHAINS.find(({ id }) => id === Number(chainId));
    if (chain === undefined) return [];
    const shown = shownAddress(address, chain.vmType);
    return [{ chain, word, internal, address: shown, symbol, decimals: Number(decimals) }];
  },
);

/** The tokens that are enabled now, read at most once a minute. */
export class ChainflipAssets extends KeptList<Assets> {
  constructor(api: Pick<JsonApi, 'get'>, timers: Timers) {
    super("Chainflip's tokens", FRESH_MS, () => readAssets(api), timers);
  }
}

async function readAssets(api: Pick<JsonApi, 'get'>): Promise<Assets> {
  const answer = valueOrError(await api.get('/api/networkInfo', { isUrgent: true }));
  const rows = answer.kind === 'json' ? listOf(fieldsOf(answer.value)['assets']).map(fieldsOf) : [];
  // Chainflip cannot refuse the input of this GET, which has none; and some token is always known.
  if (rows.length === 0) throw new ProviderUnavailable('unreadable answer');
  return {
    from: openIn(rows, ['depositChannelCreationEnabled', 'depositChannelDepositsEnabled']),
    to: openIn(rows, ['egressEnabled']),
  };
}

/** The names under which Chainflip knows a token. */
export interface Names {
  readonly chain: string;
  readonly asset: string;
}

export function namesOf({ word, symbol }: Asset): Names {
  return { chain: word, asset: symbol };
}

export function isNamed(value: unknown, asset: Asset): boolean {
  const { chain, asset: symbol } = fieldsOf(value);
  return chain === asset.word && symbol === asset.symbol;
}

function openIn(rows: readonly Fields[], flags: readonly string[]): Asset[] {
  const open = new Set(
    rows.filter((row) => flags.every((flag) => row[flag] === true)).map((row) => row['asset']),
  );
  return ASSETS.filter(({ internal }) => open.has(internal));
}
