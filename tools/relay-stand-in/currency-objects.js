// @ts-check
/** `POST /currencies/v2` and `/v1`. */
import { answer, invalid } from './answers.js';
import { knownChain } from './chains.js';
import { addressKey, TOKENS } from './tokens.js';

/** @typedef {import('./tokens.js').Token} Token */
/** @typedef {Record<string, unknown>} Json */

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const DEFAULT_SYMBOLS = new Set(['ETH', 'USDC', 'USDT', 'SOL', 'BNB']);
const BOOLEANS = ['defaultList', 'verified', 'includeAllChains', 'useExternalSearch', 'depositAddressOnly'];

/** A flat array. */
export function currenciesV2(/** @type {Json} */ body) {
  const wrong = complaint(body);
  return wrong === null ? answer(200, found(body).map(currency)) : invalid(wrong);
}

/** Arrays of arrays: the same currency on several chains is one group. */
export function currenciesV1(/** @type {Json} */ body) {
  const wrong = complaint(body);
  if (wrong !== null) return invalid(wrong);
  /** @type {Map<string, Json[]>} */
  const groups = new Map();
  for (const token of found(body)) {
    const groupID = token.symbol.toLowerCase();
    groups.set(groupID, [...(groups.get(groupID) ?? []), { groupID, ...currency(token) }]);
  }
  return answer(200, [...groups.values()]);
}

function complaint(/** @type {Json} */ body) {
  const { chainIds, term, address, limit, tokens } = body;
  if (chainIds !== undefined && !isListOf(chainIds, 'number')) return 'body/chainIds must be array';
  if (tokens !== undefined && !isListOf(tokens, 'string')) return 'body/tokens must be array';
  if (term !== undefined && typeof term !== 'string') return 'body/term must be string';
  if (address !== undefined && typeof address !== 'string') return 'body/address must be string';
  const wrong = BOOLEANS.find((name) => body[name] !== undefined && typeof body[name] !== 'boolean');
  if (wrong !== undefined) return `body/${wrong} must be boolean`;
  if (limit === undefined) return null;
  if (typeof limit !== 'number') return 'body/limit must be number';
  return limit > MAX_LIMIT ? `body/limit must be <= ${MAX_LIMIT}` : null;
}

function isListOf(/** @type {unknown} */ value, /** @type {'number' | 'string'} */ type) {
  return Array.isArray(value) && value.every((item) => typeof item === type);
}

function found(/** @type {Json} */ body) {
  const { chainIds, address, includeAllChains, limit } = body;
  const fits = TOKENS.filter((token) => isWanted(token, body));
  const direct = fits.filter((token) => isOn(token, chainIds));
  const symbols = new Set(direct.map(({ symbol }) => symbol));
  const others = TOKENS.filter((token) => symbols.has(token.symbol) && !direct.includes(token));
  // A search for one address on given chains also finds the same currency elsewhere; any other search does not.
  const isWide = includeAllChains === true && address !== undefined && chainIds !== undefined;
  return [...direct, ...(isWide ? others : [])].slice(0, typeof limit === 'number' ? limit : DEFAULT_LIMIT);
}

function isOn(/** @type {Token} */ token, /** @type {unknown} */ chainIds) {
  return !Array.isArray(chainIds) || chainIds.length === 0 || chainIds.includes(token.chainId);
}

function isWanted(/** @type {Token} */ token, /** @type {Json} */ body) {
  const { address, term, tokens, verified, depositAddressOnly, defaultList, currencyId } = body;
  if (typeof address === 'string' && addressKey(address) !== token.address) return false;
  if (typeof term === 'string' && !isNamed(token, term)) return false;
  if (Array.isArray(tokens) && !tokens.includes(`${token.chainId}:${token.address}`)) return false;
  if (typeof currencyId === 'string' && currencyId !== token.symbol.toLowerCase()) return false;
  if (depositAddressOnly === true && !token.isSolver) return false;
  if (defaultList === true && !DEFAULT_SYMBOLS.has(token.symbol)) return false;
  return typeof verified !== 'boolean' || verified === token.metadata.verified;
}

function isNamed(/** @type {Token} */ token, /** @type {string} */ term) {
  const wanted = term.toLowerCase();
  return [token.symbol, token.name].some((text) => text.toLowerCase().includes(wanted));
}

function currency(/** @type {Token} */ { chainId, address, symbol, name, decimals, metadata }) {
  const { vmType, native } = knownChain(chainId);
  const shown = { ...metadata, isNative: address === native };
  return { chainId, address, symbol, name, decimals, vmType, metadata: shown };
}
