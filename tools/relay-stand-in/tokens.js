// @ts-check
/** The tokens the stand-in routes, at fixed prices. */
import { CHAINS, chainOf } from './chains.js';

/**
 * @typedef {object} Token
 * @property {number} chainId
 * @property {string} address lowercase on EVM chains
 * @property {string} symbol
 * @property {string} name
 * @property {number} decimals
 * @property {bigint} microUsd price of one whole token, in millionths of a dollar
 * @property {boolean} isSolver a deposit address takes it
 * @property {{ logoURI?: string, verified?: boolean }} metadata
 */
/** @typedef {readonly [chainId: number, symbol: string, decimals: number, address: string, use?: 'routed']} Row */

/** @type {Readonly<Record<string, readonly [name: string, microUsd: bigint]>>} */
const ASSETS = {
  ETH: ['Ether', 3_000_000_000n],
  WETH: ['Wrapped Ether', 3_000_000_000n],
  USDC: ['USD Coin', 1_000_000n],
  'USDC.e': ['USD Coin (Bridged)', 1_000_000n],
  USDT: ['Tether USD', 1_000_000n],
  DAI: ['Dai Stablecoin', 1_000_000n],
  cUSD: ['Celo Dollar', 1_000_000n],
  WBTC: ['Wrapped BTC', 95_000_000_000n],
  BNB: ['Binance Coin', 650_000_000n],
  POL: ['POL', 400_000n],
  CELO: ['Celo', 500_000n],
  AVAX: ['Avalanche', 30_000_000n],
  SOL: ['Solana', 170_000_000n],
  BTC: ['Bitcoin', 95_000_000_000n],
  TRX: ['Tron', 250_000n],
  TON: ['Toncoin', 3_000_000n],
  MOVE: ['Move', 100_000n],
};
/** Chains whose native token Relay does not bridge: it can be an output, but no deposit address accepts it. */
const NATIVE_NOT_TAKEN = new Set([137, 42_220, 43_114, 9_286_185]);
const UNVERIFIED = new Set(['USDC.e']);
const ASSETS_URL = 'https://assets.relay.link/icons';

/** @type {readonly Row[]} */
const ROWS = [
  [1, 'USDC', 6, '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'],
  [1, 'USDT', 6, '0xdac17f958d2ee523a2206206994597c13d831ec7'],
  [1, 'WETH', 18, '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'],
  [1, 'DAI', 18, '0x6b175474e89094c44da98b954eedeac495271d0f'],
  [1, 'WBTC', 8, '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599', 'routed'],
  [10, 'USDC', 6, '0x0b2c639c533813f4aa9d7837caf62653d097ff85'],
  [10, 'USDT', 6, '0x94b008aa00579c1307b0ef2c499ad98a8ce58e58'],
  [10, 'WETH', 18, '0x4200000000000000000000000000000000000006'],
  [10, 'DAI', 18, '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1', 'routed'],
  [56, 'USDC', 18, '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d'],
  [56, 'USDT', 18, '0x55d398326f99059ff775485246999027b3197955'],
  [56, 'ETH', 18, '0x2170ed0880ac9a755fd29b2688956bd959f933f8', 'routed'],
  [137, 'USDC', 6, '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359'],
  [137, 'USDC.e', 6, '0x2791bca1f2de4661ed88a30c99a7a9449aa84174'],
  [137, 'USDT', 6, '0xc2132d05d31c914a87c6611c10748aeb04b58e8f'],
  [137, 'WETH', 18, '0x7ceb23fd6bc0add59e62ac25578270cff1b9f619', 'routed'],
  [8453, 'USDC', 6, '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'],
  [8453, 'USDT', 6, '0xfde4c96c8593536e31f229ea8f37b2ada2699bb2'],
  [8453, 'WETH', 18, '0x4200000000000000000000000000000000000006'],
  [8453, 'DAI', 18, '0x50c5725949a6f0c72e6c4a641f24049a917db0cb', 'routed'],
  [42_161, 'USDC', 6, '0xaf88d065e77c8cc2239327c5edb3a432268e5831'],
  [42_161, 'USDT', 6, '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9'],
  [42_161, 'WETH', 18, '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'],
  [42_161, 'WBTC', 8, '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f', 'routed'],
  [42_220, 'USDC', 6, '0xceba9300f2b948710d2653dd7b07f33a8b32118c'],
  [42_220, 'cUSD', 18, '0x765de816845861e75a25fca122bb6898b8b1282a', 'routed'],
  [43_114, 'USDC', 6, '0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e'],
  [43_114, 'USDT', 6, '0x9702230a8ea53601f5cd2dc00fdbc13d4df4a8c7', 'routed'],
  [792_703_809, 'USDC', 6, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
  [792_703_809, 'USDT', 6, 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'],
  [728_126_428, 'USDT', 6, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
  [59_144, 'USDC', 6, '0x176211869ca2b568f2a7d4ee941e073a821ee1ff'],
];

/** @type {readonly Token[]} */
export const TOKENS = [...CHAINS.map(nativeToken), ...ROWS.map(readRow)];

const BY_PLACE = new Map(TOKENS.map((token) => [place(token.chainId, token.address), token]));

/** EVM addresses match in any case, others exactly; null for a token without a route. */
export function tokenAt(/** @type {number} */ chainId, /** @type {unknown} */ address) {
  return (typeof address === 'string' ? BY_PLACE.get(place(chainId, address)) : undefined) ?? null;
}

/** The tokens that a deposit address on this chain takes. */
export function solverTokens(/** @type {number} */ chainId) {
  return TOKENS.filter((token) => token.chainId === chainId && token.isSolver);
}

/** One address is the same in any case on EVM chains only. */
export function addressKey(/** @type {string} */ address) {
  return /^0x/i.test(address) ? address.toLowerCase() : address;
}

function place(/** @type {number} */ chainId, /** @type {string} */ address) {
  return `${chainId}:${chainOf(chainId)?.vmType === 'evm' ? address.toLowerCase() : address}`;
}

/** The token that gas is paid in. @returns {Token} */
export function nativeToken(/** @type {import('./chains.js').Chain} */ chain) {
  return {
    chainId: chain.id,
    address: chain.native,
    symbol: chain.symbol,
    name: chain.tokenName,
    decimals: chain.decimals,
    microUsd: priceOf(chain.symbol),
    isSolver: !NATIVE_NOT_TAKEN.has(chain.id),
    metadata: { logoURI: `${ASSETS_URL}/${chain.id}/light.png`, verified: true },
  };
}

/** @returns {Token} */
function readRow(/** @type {Row} */ [chainId, symbol, decimals, address, use]) {
  const [name = symbol] = ASSETS[symbol] ?? [];
  const metadata = { logoURI: `${ASSETS_URL}/currencies/${symbol.toLowerCase()}.png` };
  const about = { chainId, address, symbol, name, decimals, microUsd: priceOf(symbol) };
  return {
    ...about,
    isSolver: use !== 'routed',
    metadata: { ...metadata, verified: !UNVERIFIED.has(symbol) },
  };
}

function priceOf(/** @type {string} */ symbol) {
  const asset = ASSETS[symbol];
  if (asset === undefined) throw new Error(`${symbol} has no price in the stand-in's table.`);
  return asset[1];
}
