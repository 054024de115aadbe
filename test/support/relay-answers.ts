import { readOrder, type QuoteOrder } from '../../src/providers/relay/quote/relay-order.ts';
import { parseChains, type RelayChain } from '../../src/providers/relay/catalog/parse-chains.ts';
import type { QuoteRequest } from '../../src/domain/payment/quote.ts';

export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';
export const SOLANA_NATIVE = '11111111111111111111111111111111';
export const BITCOIN_NATIVE = 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8';
export const TRON_NATIVE = 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb';
export const EVM_WALLET = '0xDeaDbeefdEAdbeefdEadbEEFdeadbeEFdEaDbeeF';
export const SOLANA_WALLET = 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy';
export const TRON_WALLET = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
export const BASE_USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
export const ARBITRUM_USDC = '0xaf88d065e77c8cc2239327c5edb3a432268e5831';
export const POLYGON_USDC = '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359';
export const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
export const SOLANA = 792_703_809;
export const BITCOIN = 8_253_038;
export const TRON = 728_126_428;
/** Mixed case, as some of Relay's answers have it. */
export const DEPOSIT_ADDRESS = '0x4A1b0C9d8E7f6A5b4C3d2E1f0A9b8C7d6E5f4A3b';
export const REQUEST_ID = `0x${'1788802983562'.padEnd(64, 'a')}`;

/** 25.5 USDC on Base to ETH on Arbitrum. */
export const REQUEST: QuoteRequest = {
  fromChainId: 8453,
  toChainId: 42161,
  fromToken: BASE_USDC,
  toToken: ZERO_ADDRESS,
  amount: '25.50',
  recipient: EVM_WALLET,
};

type Token = readonly [symbol: string, decimals: number, address: string];
type Fields = Record<string, unknown>;

function chain(
  id: number,
  [name, displayName]: readonly [string, string],
  vmType: string,
  [symbol, decimals, address]: Token,
  solverTokens: readonly Token[],
  more: Fields = {},
): Fields {
  const supportsBridging = solverTokens.some(([, , solverAddress]) => solverAddress === address);
  return {
    id,
    name,
    displayName,
    depositEnabled: true,
    disabled: false,
    blockProductionLagging: false,
    depositFee: 0.8,
    currency: { id: symbol.toLowerCase(), symbol, name: symbol, address, decimals, supportsBridging },
    solverCurrencies: solverTokens.map(([tokenSymbol, digits, tokenAddress]) => ({
      id: tokenSymbol.toLowerCase(),
      symbol: tokenSymbol,
      name: tokenSymbol,
      address: tokenAddress,
      decimals: digits,
    })),
    vmType,
    ...more,
  };
}

const ETH: Token = ['ETH', 18, ZERO_ADDRESS];
const SOL: Token = ['SOL', 9, SOLANA_NATIVE];

/** `GET /chains`: the specification's nine chains, two of other machines, two that are unusable, and unreadable entries. */
export function chainsAnswer(): { chains: unknown[] } {
  const bnb: Token = ['BNB', 18, ZERO_ADDRESS];
  const usdcOn = (address: string, decimals = 6): Token => ['USDC', decimals, address];
  return {
    chains: [
      chain(1, ['ethereum', 'Ethereum'], 'evm', ETH, [ETH]),
      chain(10, ['optimism', 'Optimism'], 'evm', ETH, [ETH]),
      chain(56, ['bsc', 'BNB'], 'evm', bnb, [bnb, usdcOn('0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d', 18)]),
      chain(137, ['polygon', 'Polygon'], 'evm', ['POL', 18, ZERO_ADDRESS], [usdcOn(POLYGON_USDC)]),
      chain(8453, ['base', 'Base'], 'evm', ETH, [ETH, usdcOn(BASE_USDC)]),
      chain(42161, ['arbitrum', 'Arbitrum'], 'evm', ETH, [ETH, usdcOn(ARBITRUM_USDC)]),
      chain(42220, ['celo', 'Celo'], 'evm', ['CELO', 18, ZERO_ADDRESS], [usdcOn(`0x${'c'.repeat(40)}`)]),
      chain(
        43114,
        ['avalanche', 'Avalanche'],
        'evm',
        ['AVAX', 18, ZERO_ADDRESS],
        [usdcOn(`0x${'a'.repeat(40)}`)],
      ),
      chain(SOLANA, ['solana', 'Solana'], 'svm', SOL, [SOL, usdcOn(SOLANA_USDC)]),
      chain(BITCOIN, ['bitcoin', 'Bitcoin'], 'bvm', ['BTC', 8, BITCOIN_NATIVE], [['BTC', 8, BITCOIN_NATIVE]]),
      chain(TRON, ['tron', 'Tron'], 'tvm', ['TRX', 6, TRON_NATIVE], [['USDT', 6, TRON_WALLET]]),
      chain(77, ['strange', 'Strange'], 'dreamvm', ['DRM', 0, 'dream'], [['DRM', 0, 'dream']]),
      chain(7_777_777, ['zora', 'Zora'], 'evm', ETH, [ETH], { disabled: true }),
      chain(34_443, ['mode', 'Mode'], 'evm', ETH, [ETH], { depositEnabled: false }),
      chain(59_144, ['linea', 'Linea'], 'evm', ETH, []),
      null,
      'ethereum',
      { id: '1' },
      { id: 1.5 },
    ],
  };
}

export function knownChains(): ReadonlyMap<number, RelayChain> {
  const chains = parseChains(chainsAnswer());
  if (chains === null) throw new Error('The chains of this file cannot be read.');
  return chains;
}

export function orderOf(changes: Partial<QuoteRequest> = {}): QuoteOrder {
  return readOrder({ ...REQUEST, ...changes }, knownChains());
}

/** An amount in Relay's form. */
export function amountOf(currency: Fields, amount: string, amountUsd: string): Fields {
  return { currency: { ...currency }, amount, amountFormatted: '25.0', amountUsd, minimumAmount: amount };
}

const USDC_ON_BASE = { chainId: 8453, address: BASE_USDC, symbol: 'USDC', name: 'USD Coin', decimals: 6 };
const ETH_ON_BASE = { chainId: 8453, address: ZERO_ADDRESS, symbol: 'ETH', name: 'Ether', decimals: 18 };
const ETH_ON_ARBITRUM = { ...ETH_ON_BASE, chainId: 42161 };

/** ERC-20 `transfer(to, amount)`. */
export function transferCall(to: string, amount: bigint): string {
  const words = [to.slice(2).toLowerCase(), amount.toString(16)].map((word) => word.padStart(64, '0'));
  return `0xa9059cbb${words.join('')}`;
}

/** The answer of `POST /quote/v2` to REQUEST, in the shape the API has since September 2026. */
export function quoteAnswer() {
  return {
    requestId: REQUEST_ID as unknown,
    steps: [
      {
        id: 'deposit',
        kind: 'transaction',
        requestId: REQUEST_ID,
        depositAddress: DEPOSIT_ADDRESS,
        items: [
          {
            status: 'incomplete',
            data: {
              from: '0x000000000000000000000000000000000000dead',
              to: BASE_USDC,
              data: transferCall(DEPOSIT_ADDRESS, 25_500_000n),
              value: '0' as unknown,
              chainId: 8453 as unknown,
            },
          },
        ],
      },
    ] as Fields[],
    fees: {
      gas: amountOf(ETH_ON_BASE, '97000000000', '0.000291'),
      relayer: amountOf(USDC_ON_BASE, '3469103', '3.469103'),
      relayerGas: amountOf(USDC_ON_BASE, '469103', '0.469103'),
      relayerService: amountOf(USDC_ON_BASE, '3000000', '3'),
      app: amountOf(USDC_ON_BASE, '10027770', '10.027770'),
    } as Fields | undefined,
    details: {
      recipient: EVM_WALLET.toLowerCase(),
      currencyIn: amountOf(USDC_ON_BASE, '25500000', '25.497'),
      currencyOut: amountOf(ETH_ON_ARBITRUM, '4000000000000000', '12'),
      expandedPriceImpact: {
        swap: { usd: '-0.01' },
        execution: { usd: '-3.4' },
        relay: { usd: '-0.05' },
        app: { usd: '-10.027770' },
        sponsored: { usd: '0' },
      },
      timeEstimate: 12,
    } as Fields,
    protocol: {
      v2: {
        orderData: {
          output: {
            chainId: 'arbitrum',
            payments: [{ recipient: EVM_WALLET.toLowerCase(), currency: ZERO_ADDRESS, minimumAmount: '1' }],
          },
        },
      },
    } as Fields | undefined,
  };
}
