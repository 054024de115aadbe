import type { VmType } from '../stand-in/addresses.js';

/** One row of `GET /v0/tokens`, with further facts for the stand-in. */
export interface Asset {
  readonly assetId: string;
  readonly symbol: string;
  readonly decimals: number;
  /** The API's word for the chain. */
  readonly blockchain: string;
  /** Null, absent or the word `coin` for a native coin. */
  readonly contractAddress?: string | null;
  /** Millionths of a dollar for one whole token. */
  readonly microUsd: bigint;
}

export interface Chain {
  readonly form: VmType;
  /** True: all payers share one deposit address, and the memo tells their deposits apart. */
  readonly needsMemo?: boolean;
  /** The least value of a swap from this chain, in whole dollars. */
  readonly leastUsd?: bigint;
  /** The API's estimate for a swap from here, in seconds after the deposit's confirmation. */
  readonly timeEstimate: number;
}

export const CHAINS: Readonly<Record<string, Chain>> = {
  eth: { form: 'evm', timeEstimate: 137 },
  base: { form: 'evm', timeEstimate: 37 },
  arb: { form: 'evm', timeEstimate: 37 },
  op: { form: 'evm', timeEstimate: 37 },
  bsc: { form: 'evm', timeEstimate: 40, leastUsd: 1_000n },
  pol: { form: 'evm', timeEstimate: 60 },
  avax: { form: 'evm', timeEstimate: 40 },
  sol: { form: 'svm', timeEstimate: 38 },
  btc: { form: 'bvm', timeEstimate: 812 },
  tron: { form: 'tvm', timeEstimate: 60, leastUsd: 100n },
  ton: { form: 'tonvm', timeEstimate: 60 },
  xrp: { form: 'xrp', timeEstimate: 30 },
  near: { form: 'near', timeEstimate: 10 },
  stellar: { form: 'stellar', timeEstimate: 30, needsMemo: true },
};

const USD = 1_000_000n;
const ETH_PRICE = 2_694_830_000n;
const DOLLAR = 999_900n;
const BTC_PRICE = 101_250_000_000n;

/** `[assetId, blockchain, symbol, decimals, contractAddress, microUsd]`: ids and addresses come from the fact sheet. */
type Row = readonly [string, string, string, number, string | null | undefined, bigint];

const ROWS: readonly Row[] = [
  ['nep141:eth.omft.near', 'eth', 'ETH', 18, null, ETH_PRICE],
  [
    'nep141:eth-0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48.omft.near',
    'eth',
    'USDC',
    6,
    '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    DOLLAR,
  ],
  [
    'nep141:eth-0xdac17f958d2ee523a2206206994597c13d831ec7.omft.near',
    'eth',
    'USDT',
    6,
    '0xdac17f958d2ee523a2206206994597c13d831ec7',
    DOLLAR,
  ],
  ['nep141:base.omft.near', 'base', 'ETH', 18, undefined, ETH_PRICE],
  [
    'nep141:base-0x833589fcd6edb6e08f4c7c32d4f71b54bda02913.omft.near',
    'base',
    'USDC',
    6,
    '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
    DOLLAR,
  ],
  ['nep141:arb.omft.near', 'arb', 'ETH', 18, null, ETH_PRICE],
  [
    'nep141:arb-0xaf88d065e77c8cc2239327c5edb3a432268e5831.omft.near',
    'arb',
    'USDC',
    6,
    '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
    DOLLAR,
  ],
  ['nep245:v2_1.omni.hot.tg:10_11111111111111111111', 'op', 'ETH', 18, null, ETH_PRICE],
  [
    'nep245:v2_1.omni.hot.tg:10_A2ewyUyDp6qsue1jqZsGypkCxRJ',
    'op',
    'USDC',
    6,
    '0x0b2c639c533813f4aa9d7837caf62653d097ff85',
    DOLLAR,
  ],
  ['nep245:v2_1.omni.hot.tg:137_11111111111111111111', 'pol', 'POL', 18, null, 231_000n],
  [
    'nep245:v2_1.omni.hot.tg:137_qiStmoQJDQPTebaPjgx5VBxZv6L',
    'pol',
    'USDC',
    6,
    '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
    DOLLAR,
  ],
  ['nep245:v2_1.omni.hot.tg:56_11111111111111111111', 'bsc', 'BNB', 18, null, 905_000_000n],
  [
    'nep245:v2_1.omni.hot.tg:56_2w93GqMcEmQFDru84j3HZZWt557r',
    'bsc',
    'USDC',
    18,
    '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d',
    DOLLAR,
  ],
  ['nep245:v2_1.omni.hot.tg:43114_11111111111111111111', 'avax', 'AVAX', 18, null, 18_400_000n],
  [
    'nep245:v2_1.omni.hot.tg:43114_3atVJH3r5c4GqiSYmg9fECvjc47o',
    'avax',
    'USDC',
    6,
    '0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e',
    DOLLAR,
  ],
  ['nep141:sol.omft.near', 'sol', 'SOL', 9, null, 152_300_000n],
  [
    'nep141:sol-5ce3bf3a31af18be40ba30f721101b4341690186.omft.near',
    'sol',
    'USDC',
    6,
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    DOLLAR,
  ],
  [
    'nep141:sol-c800a4bd850783ccb82c2b2c7e84175443606352.omft.near',
    'sol',
    'USDT',
    6,
    'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
    DOLLAR,
  ],
  ['nep141:btc.omft.near', 'btc', 'BTC_(DEPRECATED)', 8, null, BTC_PRICE],
  ['1cs_v1:btc:native:coin', 'btc', 'BTC(OMNI)', 8, 'coin', BTC_PRICE],
  ['nep141:tron.omft.near', 'tron', 'TRX', 6, null, 287_000n],
  [
    'nep141:tron-d28a265909efecdcee7c5028585214ea0b96f015.omft.near',
    'tron',
    'USDT',
    6,
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    DOLLAR,
  ],
  ['nep245:v2_1.omni.hot.tg:1117_', 'ton', 'GRAM', 9, null, 1_630_000n],
  [
    'nep245:v2_1.omni.hot.tg:1117_3tsdfyziyc7EJbP2aULWSKU4toBaAcN4FdTgfm5W1mC4ouR',
    'ton',
    'USDT',
    6,
    'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs',
    DOLLAR,
  ],
  ['nep141:xrp.omft.near', 'xrp', 'XRP', 6, null, 2_110_000n],
  ['nep141:wrap.near', 'near', 'wNEAR', 24, 'wrap.near', 1_890_000n],
  [
    'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1',
    'near',
    'USDC',
    6,
    '17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1',
    DOLLAR,
  ],
  [
    'nep245:v2_1.omni.hot.tg:1100_111bzQBB5v7AhLyPMDwS8uJgQV24KaAPXtwyVWu2KXbbfQU6NXRCz',
    'stellar',
    'XLM',
    7,
    null,
    254_000n,
  ],
];

export const ASSETS: readonly Asset[] = ROWS.map(
  ([assetId, blockchain, symbol, decimals, contractAddress, microUsd]) => ({
    assetId,
    symbol,
    decimals,
    blockchain,
    microUsd,
    ...(contractAddress === undefined ? {} : { contractAddress }),
  }),
);

export function assetOf(assetId: unknown): Asset | undefined {
  return ASSETS.find((asset) => asset.assetId === assetId);
}

export function chainOf({ blockchain }: Asset): Chain {
  const chain = CHAINS[blockchain];
  if (chain === undefined) throw new Error(`The stand-in knows no chain ${blockchain}.`);
  return chain;
}

/** A row of `GET /v0/tokens`. */
export function tokenRow(asset: Asset, at: Date): object {
  const { assetId, decimals, blockchain, symbol, contractAddress, microUsd } = asset;
  return {
    assetId,
    decimals,
    blockchain,
    symbol,
    price: Number(microUsd) / Number(USD),
    priceUpdatedAt: at.toISOString(),
    ...(contractAddress === undefined ? {} : { contractAddress }),
  };
}
