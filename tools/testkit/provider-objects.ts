type Json = Record<string, unknown>;

const EXPIRES_IN_S = 300;
const NATIVE = '0x0000000000000000000000000000000000000000';
const USDC_ON_BASE = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const DEPOSIT_ADDRESS = '0x8ba1f109551bd432803012645ac136ddd64dba72';
const RECIPIENT = '0x742d35cc6634c0532925a3b844bc454e4438f44e';

/** The spec's list. */
export const CHAINS: readonly Json[] = [
  { id: 1, name: 'Ethereum', shortName: 'eth', nativeToken: 'ETH' },
  { id: 10, name: 'Optimism', shortName: 'op', nativeToken: 'ETH' },
  { id: 56, name: 'BNB Chain', shortName: 'bnb', nativeToken: 'BNB' },
  { id: 137, name: 'Polygon', shortName: 'matic', nativeToken: 'MATIC' },
  { id: 8453, name: 'Base', shortName: 'base', nativeToken: 'ETH' },
  { id: 42161, name: 'Arbitrum', shortName: 'arb', nativeToken: 'ETH' },
  { id: 42220, name: 'Celo', shortName: 'celo', nativeToken: 'CELO' },
  { id: 43114, name: 'Avalanche', shortName: 'avax', nativeToken: 'AVAX' },
  { id: 792703809, name: 'Solana', shortName: 'sol', nativeToken: 'SOL' },
  { id: 728126428, name: 'Tron', shortName: 'trx', nativeToken: 'TRX' },
];

export const CURRENCIES: readonly Json[] = [
  {
    chainId: 8453,
    address: USDC_ON_BASE,
    symbol: 'USDC',
    name: 'USD Coin',
    decimals: 6,
    vmType: 'evm',
    metadata: { logoURI: 'https://example.com/usdc.png', verified: true },
  },
];

/** A quote request with the spec's six fields. */
export function quoteRequest(partial: Json = {}): Json {
  return {
    fromChainId: 1,
    toChainId: 8453,
    fromToken: NATIVE,
    toToken: USDC_ON_BASE,
    amount: '0.05',
    recipient: RECIPIENT,
    ...partial,
  };
}

/** The spec's Quote object (2.1), with every field. */
export function quoteObject(quoteId: string, request: Json = quoteRequest()): Json {
  const { fromToken = NATIVE, toToken = USDC_ON_BASE } = request;
  const ether = { address: fromToken, symbol: 'ETH', name: 'Ether', decimals: 18 };
  const usdc = { address: toToken, symbol: 'USDC', name: 'USD Coin', decimals: 6 };
  return {
    success: true,
    quoteId,
    expiresIn: EXPIRES_IN_S,
    send: {
      depositAddress: DEPOSIT_ADDRESS,
      chain: { id: request['fromChainId'], name: 'Ethereum' },
      token: ether,
      amount: request['amount'],
    },
    receive: {
      chain: { id: request['toChainId'], name: 'Base' },
      token: usdc,
      estimatedAmount: '124.850000000000000001',
      estimatedAmountUsd: '124.85',
    },
    recipient: request['recipient'],
    fees: {
      totalUsd: '0.42',
      gas: fee('0.0001', '0.25'),
      relayer: fee('0.00005', '0.12'),
      app: fee('0.00002', '0.05'),
    },
    estimatedTime: '30s',
    steps: 1,
    statusUrl: `/api/status/${quoteId}`,
    depositNote: 'Send exactly the amount shown, once.',
  };
}

/** The spec's Payment status object (2.2) of an unpaid quote. */
export function statusObject(quoteId: string): Json {
  const createdAt = Math.floor(Date.now() / 1000);
  return {
    success: true,
    quoteId,
    status: 'AWAITING_DEPOSIT',
    createdAt,
    expiresAt: createdAt + EXPIRES_IN_S,
    depositAddress: DEPOSIT_ADDRESS,
    deposit: null,
    gas: null,
    execution: { startedAt: null, completedAt: null, outputTxHash: null, steps: [] },
    route: {
      from: { chainId: 1, chainName: 'Ethereum', token: NATIVE },
      to: { chainId: 8453, chainName: 'Base', token: USDC_ON_BASE },
      amount: '50000000000000000',
      recipient: RECIPIENT,
    },
    error: null,
  };
}

function fee(amount: string, usd: string): Json {
  return { amount, usd, currency: 'ETH' };
}
