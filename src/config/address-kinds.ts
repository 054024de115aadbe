import { isIP } from 'node:net';

import ipaddr from 'ipaddr.js';

import { codes, list, optional, withDefault } from './kinds.ts';
import type { Refuse, Row, Setting } from './setting.ts';

const AMQP = ['amqp:', 'amqps:'];
const WEB = ['http:', 'https:'];
const MAX_ADDRESSES = 16;
const MAX_PROXIES = 100;
const MAX_ORIGINS = 100;
const MAX_ECHO = 50;

/** Drivers decode the parts of a URL; an invalid % would make each connection fail. */
export const STRAY_PERCENT = 'a % that begins no encoded character: write % itself as %25';

/** An http or https URL. It may contain a password: messages do not repeat it. */
export function webUrl(name: string, row: Row): Setting<string | null> {
  return optional(name, row, codes(WEB.map((protocol) => `${protocol}//`)), parseWebUrl);
}

function parseWebUrl(value: string, refuse: Refuse): string | undefined {
  if (!isDecodable(value)) return refuse(`has ${STRAY_PERCENT}`);
  return areUrls([value], WEB) ? value : refuse('is not a URL that begins with http:// or https://');
}

/** The URL with which requests to a provider begin. `keyName` is the variable for a secret that the URL must not contain. */
export function baseUrl(
  name: string,
  row: Row & { readonly default: string; readonly keyName: string },
): Setting<string> {
  const values = codes(WEB.map((protocol) => `${protocol}//`));
  return withDefault(name, row, values, (value, refuse) => parseBaseUrl(value, row.keyName, refuse));
}

/** Refuses parts of a URL that no request would contain. */
export function parseBaseUrl(value: string, keyName: string, refuse: Refuse): string | undefined {
  const url = parseWebUrl(value, refuse);
  if (url === undefined) return undefined;
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') refuse(`must not hold a user name or a password: set ${keyName}`);
  if (/[?#]/.test(url)) refuse('must not hold a query or a fragment');
  return url;
}

/** Whole URLs, separated by commas. */
export function brokerUrls(name: string, row: Row): Setting<readonly string[] | null> {
  return optional(name, row, '`amqp://`, `amqps://`', (value, refuse) => {
    if (!isDecodable(value)) return refuse(`has ${STRAY_PERCENT}`);
    const urls = value.split(/,\s*(?=amqps?:)/i);
    if (areUrls(urls, AMQP) && !urls.some((url) => new URL(url).hostname.includes(','))) return urls;
    const form = 'is not a URL that begins with amqp:// or amqps://';
    return refuse(`${form}, or several whole URLs separated by commas`);
  });
}

const ORIGIN_FORM = 'such as https://pay.example: http:// or https://, a host and no path';

/** An origin, scheme://host[:port]: a URL without a path. */
export function origin(name: string, row: Row): Setting<string | null> {
  return optional(
    name,
    row,
    '`http://`, `https://`',
    (value, refuse) => originOf(value) ?? refuse(`is not an origin ${ORIGIN_FORM}`),
  );
}

/** Exact origins; `*` and patterns are not allowed. */
export function origins(name: string, row: Row): Setting<readonly string[]> {
  return list(name, row, '`https://shop.example,…`', (words, refuse) => {
    if (words.length > MAX_ORIGINS) refuse(`has ${words.length} origins, at most ${MAX_ORIGINS}`);
    const found = words.flatMap((word) => originOf(word) ?? []);
    if (found.length < words.length) refuse(`has an entry that is not an origin ${ORIGIN_FORM}`);
    return found;
  });
}

function originOf(value: string): string | null {
  const url = areUrls([value], WEB) ? new URL(value) : null;
  return url !== null && url.href === `${url.origin}/` && !value.includes('*') ? url.origin : null;
}

/** Addresses and ranges of proxies. */
export function proxies(name: string, row: Row): Setting<readonly string[]> {
  return list(name, row, '`10.0.0.0/8,…`', (words, refuse) => {
    for (const word of words) {
      const fault = proxyFault(word);
      if (fault !== null) refuse(`has "${word.slice(0, MAX_ECHO)}", which ${fault}`);
    }
    if (words.length > MAX_PROXIES) refuse(`has ${words.length} addresses, at most ${MAX_PROXIES}`);
    return words;
  });
}

function proxyFault(proxy: string): string | null {
  const [address = '', bits, ...more] = proxy.split('/');
  const isRange = bits === undefined || (more.length === 0 && ipaddr.isValidCIDR(proxy));
  // ipaddr.js alone would parse 10/8 as 0.0.0.10/8, and drop the zone of an address.
  if (isIP(address) === 0 || address.includes('%') || !isRange)
    return 'is no address or range such as 10.0.0.0/8';
  return Number(bits) === 0 ? 'is every address: name those of your proxies' : null;
}

export function cidrs(name: string, row: Row): Setting<readonly string[]> {
  return list(name, row, '`10.0.0.0/8,…`', (words, refuse) => {
    for (const word of words) {
      // ipaddr.js alone would parse 10/8 as 0.0.0.10/8 and 010.0.0.0/8 as octal, and drop the zone of an address.
      const address = word.slice(0, word.lastIndexOf('/'));
      if (!ipaddr.isValidCIDR(word) || isIP(address) === 0 || address.includes('%'))
        refuse(`has "${word}", which is not an address range such as ${rangeLike(word)}`);
    }
    return words;
  });
}

/** An example of a valid range; for a single address, that address with its mask. */
function rangeLike(word: string): string {
  const version = word.includes('%') ? 0 : isIP(word);
  return version === 0 ? '10.0.0.0/8' : `${word}/${version === 4 ? 32 : 128}`;
}

function areUrls(urls: readonly string[], protocols: readonly string[]): boolean {
  if (urls.length > MAX_ADDRESSES) return false;
  return urls.every((url) => URL.canParse(url) && protocols.includes(new URL(url).protocol));
}

export function isDecodable(url: string): boolean {
  try {
    return decodeURIComponent(url).length > 0;
  } catch {
    return false;
  }
}
