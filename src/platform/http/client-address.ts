import { isIP } from 'node:net';

import type { Request } from 'express';

/** Some proxies write the client's port too. */
const PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/;
/** Matches any spelling, with the IPv4 address as two groups or in dotted form. */
const IPV4_IN_IPV6 = /^(?:::|(?:0{1,4}:){5})ffff:(?:([\da-f]{1,4}):([\da-f]{1,4})|([\d.]+))$/i;
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * The client's address in its usual spelling: the one that a proxy of TRUSTED_PROXIES states, otherwise that of the
 * connection. Null once the connection is gone, or if such a proxy states no address.
 */
export function clientAddress({ ip }: Request): string | null {
  const address = ip?.replace(PORT, '$1$2').replace(IPV4_IN_IPV6, ipv4Of) ?? '';
  return isIP(address) === 0 ? null : address;
}

/**
 * The part of an address that identifies a client: an IPv4 address, or the /64 network of an IPv6 address, which one host has
 * as a whole.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail = ''] = address.split('::');
  const [before, behind] = [groupsOf(head), groupsOf(tail)];
  const zeros = address.includes('::') ? GROUPS - before.length - behind.length : 0;
  const groups = [...before, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...behind];
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

function ipv4Of(_address: string, high: string | undefined, low: string, dotted: string): string {
  if (high === undefined) return dotted;
  const bytes = [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((two) => [two >> 8, two & 255]);
  return bytes.join('.');
}

/** An IPv4 address at the end counts as two groups. */
function groupsOf(part: string): string[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
