import { chainOf } from './sandbox-chains.ts';

export interface Token {
  readonly chainId: number;
  /** Lower case on EVM chains; on Solana letter case is part of the address. */
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  /** The sandbox's fixed price of one whole token, in USD. */
  readonly priceUsd: string;
  readonly logoUri: string;
  readonly verified: boolean;
  /** True: the token is in the default list, which a client shows before a search. */
  readonly isDefault: boolean;
}

interface Asset {
  readonly name: string;
  readonly priceUsd: string;
  readonly icon: string;
}

type Row = readonly [chainId: number, symbol: string, decimals: number, address: string];

/** The spec's address of every chain's native token. */
export const NATIVE_ADDRESS = '0x0000000000000000000000000000000000000000';

const ICONS = 'https://cdn.jsdelivr.net/npm/cryptocurrency-icons@0.18.1/svg/color';

const ASSETS: Readonly<Record<string, Asset>> = {
  ETH: { name: 'Ether', priceUsd: '3000', icon: 'eth' },
  WETH: { name: 'Wrapped Ether', priceUsd: '3000', icon: 'eth' },
  'WETH.e': { name: 'Wrapped Ether', priceUsd: '3000', icon: 'eth' },
  USDC: { name: 'USD Coin', priceUsd: '1', icon: 'usdc' },
  'USDC.e': { name: 'USD Coin (bridged)', priceUsd: '1', icon: 'usdc' },
  USDT: { name: 'Tether USD', priceUsd: '1', icon: 'usdt' },
  DAI: { name: 'Dai Stablecoin', priceUsd: '1', icon: 'dai' },
  cUSD: { name: 'Celo Dollar', priceUsd: '1', icon: 'generic' },
  WBTC: { name: 'Wrapped BTC', priceUsd: '95000', icon: 'wbtc' },
  'BTC.b': { name: 'Bitcoin', priceUsd: '95000', icon: 'btc' },
  BNB: { name: 'BNB', priceUsd: '650', icon: 'bnb' },
  WBNB: { name: 'Wrapped BNB', priceUsd: '650', icon: 'bnb' },
  MATIC: { name: 'Matic', priceUsd: '0.4', icon: 'matic' },
  WMATIC: { name: 'Wrapped Matic', priceUsd: '0.4', icon: 'matic' },
  ARB: { name: 'Arbitrum', priceUsd: '0.6', icon: 'generic' },
  CELO: { name: 'Celo', priceUsd: '0.5', icon: 'generic' },
  AVAX: { name: 'Avalanche', priceUsd: '30', icon: 'avax' },
  WAVAX: { name: 'Wrapped AVAX', priceUsd: '30', icon: 'avax' },
  SOL: { name: 'Solana', priceUsd: '170', icon: 'sol' },
  WSOL: { name: 'Wrapped SOL', priceUsd: '170', icon: 'sol' },
};

const ROWS: readonly Row[] = [
  [1, 'ETH', 18, NATIVE_ADDRESS],
  [1, 'USDC', 6, '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'],
  [1, 'USDT', 6, '0xdac17f958d2ee523a2206206994597c13d831ec7'],
  [1, 'WETH', 18, '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'],
  [1, 'DAI', 18, '0x6b175474e89094c44da98b954eedeac495271d0f'],
  [1, 'WBTC', 8, '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'],
  [10, 'ETH', 18, NATIVE_ADDRESS],
  [10, 'USDC', 6, '0x0b2c639c533813f4aa9d7837caf62653d097ff85'],
  [10, 'USDT', 6, '0x94b008aa00579c1307b0ef2c499ad98a8ce58e58'],
  [10, 'WETH', 18, '0x4200000000000000000000000000000000000006'],
  [10, 'DAI', 18, '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1'],
  [56, 'BNB', 18, NATIVE_ADDRESS],
  [56, 'USDC', 18, '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d'],
  [56, 'USDT', 18, '0x55d398326f99059ff775485246999027b3197955'],
  [56, 'ETH', 18, '0x2170ed0880ac9a755fd29b2688956bd959f933f8'],
  [56, 'WBNB', 18, '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c'],
  [137, 'MATIC', 18, NATIVE_ADDRESS],
  [137, 'USDC', 6, '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359'],
  [137, 'USDT', 6, '0xc2132d05d31c914a87c6611c10748aeb04b58e8f'],
  [137, 'WETH', 18, '0x7ceb23fd6bc0add59e62ac25578270cff1b9f619'],
  [137, 'WMATIC', 18, '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270'],
  [137, 'DAI', 18, '0x8f3cf7ad23cd3cadbd9735aff958023239c6a063'],
  [137, 'USDC.e', 6, '0x2791bca1f2de4661ed88a30c99a7a9449aa84174'],
  [8453, 'ETH', 18, NATIVE_ADDRESS],
  [8453, 'USDC', 6, '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'],
  [8453, 'USDT', 6, '0xfde4c96c8593536e31f229ea8f37b2ada2699bb2'],
  [8453, 'WETH', 18, '0x4200000000000000000000000000000000000006'],
  [8453, 'DAI', 18, '0x50c5725949a6f0c72e6c4a641f24049a917db0cb'],
  [42161, 'ETH', 18, NATIVE_ADDRESS],
  [42161, 'USDC', 6, '0xaf88d065e77c8cc2239327c5edb3a432268e5831'],
  [42161, 'USDT', 6, '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9'],
  [42161, 'WETH', 18, '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'],
  [42161, 'ARB', 18, '0x912ce59144191c1204e64559fe8253a0e49e6548'],
  [42161, 'WBTC', 8, '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f'],
  [42161, 'USDC.e', 6, '0xff970a61a04b1ca14834a43f5de4533ebddb5cc8'],
  [42220, 'CELO', 18, NATIVE_ADDRESS],
  [42220, 'USDC', 6, '0xceba9300f2b948710d2653dd7b07f33a8b32118c'],
  [42220, 'USDT', 6, '0x48065fbbe25f71c9282ddf5e1cd6d6a887483d5e'],
  [42220, 'cUSD', 18, '0x765de816845861e75a25fca122bb6898b8b1282a'],
  [43114, 'AVAX', 18, NATIVE_ADDRESS],
  [43114, 'USDC', 6, '0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e'],
  [43114, 'USDT', 6, '0x9702230a8ea53601f5cd2dc00fdbc13d4df4a8c7'],
  [43114, 'WETH.e', 18, '0x49d5c2bdffac6ce2bfdb6640f4f80f226bc10bab'],
  [43114, 'BTC.b', 8, '0x152b9d0fdc40c096757f570a51e494bd4b943e50'],
  [43114, 'WAVAX', 18, '0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7'],
  [792703809, 'SOL', 9, NATIVE_ADDRESS],
  [792703809, 'USDC', 6, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
  [792703809, 'USDT', 6, 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'],
  [792703809, 'WSOL', 9, 'So11111111111111111111111111111111111111112'],
];

const DEFAULT_SYMBOLS = new Set(['USDC', 'USDT']);
/** Superseded by the issuer's own token on the same chain. */
const UNVERIFIED_SYMBOLS = new Set(['USDC.e']);

/** Real tokens of the spec's chains, at fixed prices. */
export const TOKENS: readonly Token[] = ROWS.map(readRow);

/** The token at this address; letter case counts in a Solana address, as for the real service. */
export function tokenAt(chainId: number, address: string): Token | null {
  const isCaseless = chainOf(chainId)?.vmType === 'evm' || /^0x/i.test(address);
  const wanted = isCaseless ? address.toLowerCase() : address;
  return TOKENS.find((token) => token.chainId === chainId && token.address === wanted) ?? null;
}

export function nativeTokenOf(chainId: number): Token {
  const token = tokenAt(chainId, NATIVE_ADDRESS);
  if (token === null) throw new Error(`Chain ${chainId} has no native token in the sandbox's table.`);
  return token;
}

function readRow([chainId, symbol, decimals, address]: Row): Token {
  const asset = ASSETS[symbol];
  if (asset === undefined) throw new Error(`${symbol} has no price in the sandbox's table.`);
  return {
    chainId,
    address,
    symbol,
    name: asset.name,
    decimals,
    priceUsd: asset.priceUsd,
    logoUri: `${ICONS}/${asset.icon}.svg`,
    verified: !UNVERIFIED_SYMBOLS.has(symbol),
    isDefault: address === NATIVE_ADDRESS || DEFAULT_SYMBOLS.has(symbol),
  };
}
