import type { VmType } from '../stand-in/addresses.js';

/** A chain that Chainflip carries payments from and to. */
export interface Chain {
  /** The API's word. */
  readonly word: string;
  readonly form: VmType;
  readonly blockSeconds: number;
  /** The API shows one confirmation more than this margin. */
  readonly safetyMargin: number;
  /** The fee of an ingress and of an egress, in millionths of a dollar. */
  readonly feeMicroUsd: bigint;
}

export interface Asset {
  readonly chain: Chain;
  /** The API's symbol of the token, such as `USDC`. */
  readonly symbol: string;
  /** The protocol's own name of the token, such as `ArbUsdc`. */
  readonly internal: string;
  readonly decimals: number;
  /** Millionths of a dollar for one whole token. */
  readonly microUsd: bigint;
  /** False for tokens without an oracle: their quotes have no recommended live price protection. */
  readonly hasOracle: boolean;
}

const MICRO_USD = 1_000_000n;

const chain = (
  word: string,
  form: VmType,
  blockSeconds: number,
  safetyMargin: number,
  feeMicroUsd: bigint,
): Chain => ({ word, form, blockSeconds, safetyMargin, feeMicroUsd });
const ETHEREUM = chain('Ethereum', 'evm', 12, 6, 210_000n);
const ARBITRUM = chain('Arbitrum', 'evm', 0.26, 1, 30_000n);
const BITCOIN = chain('Bitcoin', 'bvm', 600, 2, 420_000n);
const SOLANA = chain('Solana', 'svm', 0.8, 1, 20_000n);
const ASSETHUB = chain('Assethub', 'substrate', 3, 1, 20_000n);
const TRON = chain('Tron', 'tvm', 3, 18, 900_000n);
const BSC = chain('Bsc', 'evm', 0.45, 2, 20_000n);

type Row = readonly [
  chain: Chain,
  symbol: string,
  internal: string,
  decimals: number,
  microUsd: bigint,
  hasOracle?: false,
];

const ROWS: readonly Row[] = [
  [ETHEREUM, 'ETH', 'Eth', 18, 2_694_830_000n],
  [ETHEREUM, 'USDC', 'Usdc', 6, MICRO_USD],
  [ETHEREUM, 'USDT', 'Usdt', 6, 999_700n],
  [ETHEREUM, 'WBTC', 'Wbtc', 8, 95_020_000_000n],
  [ETHEREUM, 'FLIP', 'Flip', 18, 410_000n, false],
  [ARBITRUM, 'ETH', 'ArbEth', 18, 2_694_830_000n],
  [ARBITRUM, 'USDC', 'ArbUsdc', 6, MICRO_USD],
  [ARBITRUM, 'USDT', 'ArbUsdt', 6, 999_700n],
  [BITCOIN, 'BTC', 'Btc', 8, 95_120_000_000n],
  [SOLANA, 'SOL', 'Sol', 9, 152_300_000n],
  [SOLANA, 'USDC', 'SolUsdc', 6, MICRO_USD],
  [SOLANA, 'USDT', 'SolUsdt', 6, 999_700n],
  [ASSETHUB, 'DOT', 'HubDot', 10, 3_900_000n, false],
  [ASSETHUB, 'USDC', 'HubUsdc', 6, MICRO_USD],
  [ASSETHUB, 'USDT', 'HubUsdt', 6, 999_700n],
  [TRON, 'TRX', 'Trx', 6, 287_000n, false],
  [TRON, 'USDT', 'TrxUsdt', 6, 999_700n],
  [BSC, 'BNB', 'Bnb', 18, 905_000_000n, false],
  [BSC, 'USDT', 'BscUsdt', 18, 999_700n],
];

export const ASSETS: readonly Asset[] = ROWS.map(
  ([on, symbol, internal, decimals, microUsd, hasOracle = true]) => ({
    chain: on,
    symbol,
    internal,
    decimals,
    microUsd,
    hasOracle,
  }),
);

export function assetOf(chainWord: unknown, symbol: unknown): Asset | undefined {
  return ASSETS.find((asset) => asset.chain.word === chainWord && asset.symbol === symbol);
}

export function hasChain(word: string): boolean {
  return ASSETS.some((asset) => asset.chain.word === word);
}

/** USDC on Ethereum: every swap goes through it. */
export const LEG = ASSETS[1] as Asset;

export function named({ chain: { word }, symbol }: Asset): { chain: string; asset: string } {
  return { chain: word, asset: symbol };
}

/** The amount of a token that is worth this many millionths of a dollar, rounded down. */
export function rawFor(microUsd: bigint, { microUsd: price, decimals }: Asset): bigint {
  return (microUsd * 10n ** BigInt(decimals)) / price;
}

/** Converts an amount of one token to another at their prices, rounded down. */
export function swapped(raw: bigint, from: Asset, to: Asset): bigint {
  return (raw * from.microUsd * 10n ** BigInt(to.decimals)) / (to.microUsd * 10n ** BigInt(from.decimals));
}

export function feeOf(asset: Asset): bigint {
  return rawFor(asset.chain.feeMicroUsd, asset);
}

const LEAST_MICRO_USD = 20n * MICRO_USD;
const DUST_MICRO_USD = 1n * MICRO_USD;

/** A smaller deposit is kept. */
export function leastDeposit(asset: Asset): bigint {
  return rawFor(LEAST_MICRO_USD, asset);
}

/** A smaller output or refund is kept. */
export function leastEgress(asset: Asset): bigint {
  return rawFor(DUST_MICRO_USD, asset);
}
