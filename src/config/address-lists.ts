import { isIP } from 'node:net';

import ipaddr from 'ipaddr.js';

import type { EnvReader } from './env-reader.ts';

const POSTGRES = ['postgres:', 'postgresql:'];
const AMQP = ['amqp:', 'amqps:'];
const MAX_ADDRESSES = 16;
const MAX_PROXIES = 100;
const MAX_ECHO = 50;
/** Scheme and credentials, hosts, and what follows them. */
const POSTGRES_PARTS = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/is;
const SESSION_ATTRS = new Set(['any', 'read-write', 'primary']);

/** One URL for each host of a PostgreSQL URL: it may name several, as in `postgres://user@a:5432,b:5432/db`. Null: unset. */
export function readPostgresUrls(read: EnvReader, variable: string): readonly string[] | null {
  const value = read.optional(variable);
  if (value === null) return null;
  const [, before = '', hosts = '', after = ''] = POSTGRES_PARTS.exec(value) ?? [];
  const urls = hosts.split(',').map((host) => `${before}${host}${after}`);
  const isEmptyHost = urls.length > 1 && hosts.split(',').includes('');
  if (isEmptyHost || !areUrls(urls, POSTGRES)) {
    const form = 'is not a URL that begins with postgres:// or postgresql://';
    read.refuse(variable, `${form}, with hosts like a:5432,b:5432`);
    return null;
  }
  const attrs = new URL(urls[0] ?? '').searchParams.get('target_session_attrs') ?? 'any';
  if (SESSION_ATTRS.has(attrs)) return urls;
  const given = `has target_session_attrs=${attrs.slice(0, 20)}`;
  read.refuse(variable, `${given}; Paybell writes: use read-write, primary or any`);
  return null;
}

/** Whole URLs, separated by commas. Null: unset. */
export function readBrokerUrls(read: EnvReader, variable: string): readonly string[] | null {
  const value = read.optional(variable);
  if (value === null) return null;
  const urls = value.split(/,\s*(?=amqps?:)/i);
  if (areUrls(urls, AMQP) && !urls.some((url) => new URL(url).hostname.includes(','))) return urls;
  const form = 'is not a URL that begins with amqp:// or amqps://';
  read.refuse(variable, `${form}, or several whole ones separated by commas`);
  return null;
}

/** The origin, scheme://host[:port], of a URL that has nothing behind it. Null: unset. */
export function readOrigin(read: EnvReader, variable: string): string | null {
  const value = read.optional(variable);
  if (value === null) return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  const isWeb = url !== null && ['http:', 'https:'].includes(url.protocol);
  if (isWeb && url.href === `${url.origin}/`) return url.origin;
  const form = 'is not an origin such as https://pay.example';
  read.refuse(variable, `${form}: http:// or https://, a host and no path`);
  return null;
}

/** Addresses and ranges of proxies; empty: unset. */
export function readProxies(read: EnvReader, variable: string): readonly string[] {
  const words = (read.optional(variable) ?? '').split(',').map((word) => word.trim());
  const proxies = words.filter((word) => word !== '');
  for (const proxy of proxies) {
    const fault = proxyFault(proxy);
    if (fault !== null) read.refuse(variable, `has "${proxy.slice(0, MAX_ECHO)}", which ${fault}`);
  }
  if (proxies.length > MAX_PROXIES)
    read.refuse(variable, `has ${proxies.length} addresses, at most ${MAX_PROXIES}`);
  return proxies;
}

function proxyFault(proxy: string): string | null {
  const [address = '', bits, ...more] = proxy.split('/');
  const isRange = bits === undefined || (more.length === 0 && ipaddr.isValidCIDR(proxy));
  // ipaddr.js alone parses 10/8 as 0.0.0.10/8, and drops the zone of an address.
  if (isIP(address) === 0 || address.includes('%') || !isRange)
    return 'is no address or range such as 10.0.0.0/8';
  return Number(bits) === 0 ? 'is every address: name those of your proxies' : null;
}

function areUrls(urls: readonly string[], protocols: readonly string[]): boolean {
  if (urls.length > MAX_ADDRESSES) return false;
  return urls.every((url) => URL.canParse(url) && protocols.includes(new URL(url).protocol));
}
