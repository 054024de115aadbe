// @ts-check
/** The chains the stand-in knows: the spec's nine, and some that an adapter must survive. */

/** @typedef {import('../stand-in/addresses.js').VmType} VmType */
/**
 * @typedef {object} Chain
 * @property {number} id
 * @property {string} name
 * @property {string} displayName
 * @property {VmType} vmType
 * @property {string} native the native token's address in this chain's own form
 * @property {string} symbol of the native token
 * @property {string} currencyId of the native token
 * @property {string} tokenName of the native token
 * @property {number} decimals of the native token
 * @property {bigint} gas what one deposit costs the payer, in the native token's smallest unit
 * @property {bigint} fillMicroUsd what a fill on this chain costs Relay, in millionths of a dollar
 * @property {number} timeEstimate seconds
 * @property {boolean} [disabled]
 * @property {boolean} [depositEnabled] true unless said otherwise
 * @property {boolean} [blockProductionLagging]
 */

const EVM_NATIVE = '0x0000000000000000000000000000000000000000';
export const SOLANA_NATIVE = '11111111111111111111111111111111';
export const BITCOIN_NATIVE = 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8';
const TRON_NATIVE = 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb';
const TON_NATIVE = 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c';

/** @type {readonly Chain[]} */
export const CHAINS = [
  evm(1, 'ethereum', 'Ethereum', 'eth', 'ETH', 'Ether', { gas: 40_000_000_000_000n, fillMicroUsd: 350_000n }),
  evm(10, 'optimism', 'Optimism', 'eth', 'ETH', 'Ether'),
  evm(56, 'bsc', 'BNB', 'bnb', 'BNB', 'Binance Coin', { gas: 2_000_000_000_000n }),
  evm(137, 'polygon', 'Polygon', 'matic', 'POL', 'POL', { gas: 3_000_000_000_000_000n }),
  evm(8453, 'base', 'Base', 'eth', 'ETH', 'Ether'),
  evm(42_161, 'arbitrum', 'Arbitrum', 'eth', 'ETH', 'Ether'),
  evm(42_220, 'celo', 'Celo', 'celo', 'CELO', 'Celo', { gas: 2_000_000_000_000_000n }),
  evm(43_114, 'avalanche', 'Avalanche', 'avax', 'AVAX', 'Avalanche', { gas: 50_000_000_000_000n }),
  other(792_703_809, 'solana', 'Solana', 'svm', SOLANA_NATIVE, ['sol', 'SOL', 'Solana', 9], 25_000n, 2),
  other(8_253_038, 'bitcoin', 'Bitcoin', 'bvm', BITCOIN_NATIVE, ['btc', 'BTC', 'Bitcoin', 8], 450n, 900),
  other(728_126_428, 'tron', 'Tron', 'tvm', TRON_NATIVE, ['trx', 'TRX', 'Tron', 6], 1_100_000n, 12),
  other(224_235_520, 'ton', 'TON', 'tonvm', TON_NATIVE, ['ton', 'TON', 'Toncoin', 9], 50_000_000n, 20),
  { ...evm(7_777_777, 'zora', 'Zora', 'eth', 'ETH', 'Ether'), disabled: true },
  { ...evm(34_443, 'mode', 'Mode', 'eth', 'ETH', 'Ether'), depositEnabled: false },
  { ...evm(59_144, 'linea', 'Linea', 'eth', 'ETH', 'Ether'), blockProductionLagging: true },
  other(9_286_185, 'movement', 'Movement', 'movevm', '0xa', ['move', 'MOVE', 'Move', 8], 1_000n, 5),
];

const BY_ID = new Map(CHAINS.map((chain) => [chain.id, chain]));

/** Null for a chain that Relay does not know. */
export function chainOf(/** @type {unknown} */ id) {
  return (typeof id === 'number' ? BY_ID.get(id) : undefined) ?? null;
}

/** Relay forgets no chain of ours. */
export function knownChain(/** @type {number} */ id) {
  const chain = BY_ID.get(id);
  if (chain === undefined) throw new Error(`The stand-in knows no chain ${id}.`);
  return chain;
}

/** @returns {Chain} */
function evm(
  /** @type {number} */ id,
  /** @type {string} */ name,
  /** @type {string} */ displayName,
  /** @type {string} */ currencyId,
  /** @type {string} */ symbol,
  /** @type {string} */ tokenName,
  /** @type {Partial<Chain>} */ costs = {},
) {
  const about = { id, name, displayName, currencyId, symbol, tokenName };
  return {
    ...about,
    vmType: 'evm',
    native: EVM_NATIVE,
    decimals: 18,
    gas: 80_000_000_000n,
    fillMicroUsd: 12_000n,
    timeEstimate: 1,
    ...costs,
  };
}

/** @returns {Chain} */
function other(
  /** @type {number} */ id,
  /** @type {string} */ name,
  /** @type {string} */ displayName,
  /** @type {VmType} */ vmType,
  /** @type {string} */ native,
  /** @type {readonly [currencyId: string, symbol: string, tokenName: string, decimals: number]} */ token,
  /** @type {bigint} */ gas,
  /** @type {number} */ timeEstimate,
) {
  const [currencyId, symbol, tokenName, decimals] = token;
  const about = { id, name, displayName, vmType, native, currencyId, symbol, tokenName, decimals };
  return { ...about, gas, fillMicroUsd: 20_000n, timeEstimate };
}
