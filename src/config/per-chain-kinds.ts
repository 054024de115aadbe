import { type ServerApi, serverApisOf } from '../domain/chains/chain-kinds.ts';
import { list, optional } from './kinds.ts';
import { isDecodable, STRAY_PERCENT } from './address-kinds.ts';
import type { Refuse, Row, Setting } from './setting.ts';

const WEB = new Set(['http:', 'https:']);
const MAX_CHAINS = 100;
const MAX_URLS = 5;
const MAX_BLOCKS = 100_000;
const CHAIN_ENTRY = /^(\d{1,10})\s*=\s*(.*)$/s;
/** A URL may contain a comma: only a comma before a chain's id separates entries. */
const BETWEEN_CHAINS = /\s*,\s*(?=\d{1,10}\s*=)/;

/** The beginning of a URL where a chain's servers have several interfaces: `esplora+https://…`. */
const PREFIX = /^([a-z]+)\+(?=https?:)/i;

/**
 * The URLs of each chain by the chain's id, with a prefix in the form `esplora+https://…` where needed. Messages repeat no
 * URL, since a URL may contain a key.
 */
export function chainUrls(name: string, row: Row): Setting<ReadonlyMap<number, readonly string[]> | null> {
  return optional(name, row, '`8453=https://…,8253038=esplora+https://…`', (value, refuse) => {
    const entries = value.split(BETWEEN_CHAINS);
    if (entries.length > MAX_CHAINS) return refuse(`names ${entries.length} chains, at most ${MAX_CHAINS}`);
    const chains = new Map<number, readonly string[]>();
    for (const entry of entries) {
      const [, id = '', urls = ''] = CHAIN_ENTRY.exec(entry) ?? [];
      if (!isChainId(id)) return refuse('is not a list like 8453=https://…|https://…,1=https://…');
      if (chains.has(Number(id))) return refuse(`names chain ${id} twice`);
      const parsed = urlsOf(id, urls, refuse);
      if (parsed === undefined) return undefined;
      chains.set(Number(id), parsed);
    }
    return chains;
  });
}

function urlsOf(id: string, text: string, refuse: Refuse): readonly string[] | undefined {
  const apis = serverApisOf(Number(id));
  const urls = text.split('|').map((url) => readRpcUrl(url.trim()));
  if (!urls.every(({ url }) => isRpcUrl(url)))
    return refuse(`has a URL of chain ${id} that does not begin with ${beginnings(apis)}, or has a fragment`);
  if (!urls.every(({ url }) => isDecodable(url)))
    return refuse(`has a URL of chain ${id} with ${STRAY_PERCENT}`);
  if (!urls.every(({ api }) => isTaken(api, apis)))
    return refuse(`has a URL of chain ${id} that does not begin with ${beginnings(apis)}`);
  if (urls.length > MAX_URLS) return refuse(`has ${urls.length} URLs of chain ${id}, at most ${MAX_URLS}`);
  // An RPC that is listed twice, by any of its interfaces or with a slash at the end, would always agree with itself.
  if (new Set(urls.map(({ url }) => new URL(url).href.replace(/\/+(?=\?|$)/, ''))).size < urls.length)
    return refuse(`has a URL of chain ${id} twice`);
  return urls.map(({ api, url }) => (api === null ? url : `${api}+${new URL(url).href}`));
}

interface RpcUrl {
  /** The prefix in lower case; null: there is none. */
  readonly api: string | null;
  readonly url: string;
}

function readRpcUrl(text: string): RpcUrl {
  const [prefix = '', api = null] = PREFIX.exec(text) ?? [];
  return { api: api?.toLowerCase() ?? null, url: text.slice(prefix.length) };
}

function isTaken(api: string | null, apis: readonly ServerApi[]): boolean {
  return apis.length === 0 ? api === null : apis.some((each) => each === api);
}

function beginnings(apis: readonly ServerApi[]): string {
  if (apis.length === 0) return 'http:// or https://';
  return apis.map((api) => `${api}+https://`).join(' or ');
}

function isRpcUrl(text: string): boolean {
  return URL.canParse(text) && WEB.has(new URL(text).protocol) && !text.includes('#');
}

/** A number of blocks for each chain, by the chain's id. */
export function chainBlocks(name: string, row: Row): Setting<ReadonlyMap<number, number>> {
  return list<ReadonlyMap<number, number>>(name, row, '`8453=30,…`', (words, refuse) => {
    const blocks = new Map<number, number>();
    for (const word of words) {
      const [, id = '', count = ''] = CHAIN_ENTRY.exec(word) ?? [];
      if (!isChainId(id) || !isBlocks(count))
        return refuse(`has a part that is not like 8453=30, with 1 to ${MAX_BLOCKS} blocks`);
      if (blocks.has(Number(id))) return refuse(`names chain ${id} twice`);
      blocks.set(Number(id), Number(count));
    }
    return blocks;
  });
}

function isChainId(text: string): boolean {
  return Number(text) >= 1 && Number(text) < 2 ** 32;
}

function isBlocks(text: string): boolean {
  return /^\d{1,6}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_BLOCKS;
}

/** An amount of money, which stays a decimal string. */
export function amount(name: string, row: Row & { readonly default: string }): Setting<string> {
  const values = 'a decimal number';
  return {
    ...row,
    values,
    name,
    unset: row.default,
    parse: (value, refuse) =>
      /^\d{1,15}(?:\.\d{1,18})?$/.test(value) ? value : refuse('is not an amount such as 0 or 49.90'),
  };
}
