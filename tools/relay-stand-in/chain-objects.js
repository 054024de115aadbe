// @ts-check
/** `GET /chains`: real field shapes, fractional fees and unknown families of chains. */
import { addressFrom } from '../stand-in/addresses.js';
import { CHAINS } from './chains.js';
import { nativeToken, solverTokens, TOKENS } from './tokens.js';

/** @typedef {import('./chains.js').Chain} Chain */
/** @typedef {import('./tokens.js').Token} Token */

/** In basis points; some chains have fractions. */
const DEPOSIT_FEES = new Map([[56, 0.8]]);

/** Relay's whole list, or the chains asked for. */
export function chainsObject(/** @type {string | undefined} */ includeChains) {
  const wanted = includeChains === undefined ? null : new Set(includeChains.split(',').map(Number));
  return { chains: CHAINS.filter((chain) => wanted?.has(chain.id) ?? true).map(chainObject) };
}

function chainObject(/** @type {Chain} */ chain) {
  const explorerUrl = `https://explorer.${chain.name}.example`;
  const isEvm = chain.vmType === 'evm';
  return {
    id: chain.id,
    name: chain.name,
    displayName: chain.displayName,
    httpRpcUrl: `https://rpc.${chain.name}.example`,
    wsRpcUrl: isEvm ? `wss://rpc.${chain.name}.example` : '',
    explorerUrl,
    explorerName: `${chain.displayName} Explorer`,
    explorerPaths: isEvm ? null : { transaction: '/tx/', address: '/address/', token: '/token/' },
    depositEnabled: chain.depositEnabled ?? true,
    tokenSupport: isEvm ? 'All' : 'Limited',
    disabled: chain.disabled ?? false,
    partialDisableLimit: 0,
    blockProductionLagging: chain.blockProductionLagging ?? false,
    currency: nativeObject(chain),
    withdrawalFee: 0,
    depositFee: DEPOSIT_FEES.get(chain.id) ?? 0,
    surgeEnabled: false,
    ...tokenLists(chain),
    iconUrl: `https://assets.relay.link/icons/${chain.id}/light.png`,
    logoUrl: null,
    brandColor: null,
    contracts: isEvm ? { multicall3: '0xca11bde05977b3631167028862be2a173976ca11' } : {},
    vmType: chain.vmType,
    explorerQueryParams: null,
    baseChainId: null,
    statusMessage: null,
    solverAddresses: [addressFrom('solver', chain.vmType)],
    tags: [],
    protocol: {
      v2: { chainId: chain.name, depository: depositoryOf(chain), depositoryVault: depositoryOf(chain) },
    },
  };
}

/** The contract that deposits are swept into. */
export function depositoryOf(/** @type {Chain} */ chain) {
  return addressFrom('depository', chain.vmType);
}

function nativeObject(/** @type {Chain} */ chain) {
  const { symbol, name, address, decimals, isSolver } = nativeToken(chain);
  return { id: chain.currencyId, symbol, name, address, decimals, supportsBridging: isSolver };
}

function tokenLists(/** @type {Chain} */ chain) {
  const tokens = TOKENS.filter(({ chainId, address }) => chainId === chain.id && address !== chain.native);
  return {
    featuredTokens: tokens.slice(0, 2).map((token) => ({ ...listed(token), metadata: token.metadata })),
    erc20Currencies: tokens.map((token) => ({
      ...listed(token),
      supportsBridging: token.isSolver,
      supportsPermit: token.symbol === 'USDC',
    })),
    solverCurrencies: solverTokens(chain.id).map(listed),
  };
}

function listed(/** @type {Token} */ { symbol, name, address, decimals }) {
  return { id: symbol.toLowerCase(), symbol, name, address, decimals };
}
