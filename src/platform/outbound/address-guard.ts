import { isIP, isIPv6 } from 'node:net';

import ipaddr from 'ipaddr.js';

import { GLOBAL_IPV6, REFUSED_RANGES, type AddressRule } from './address-ranges.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

export interface Refusal {
  readonly rule: AddressRule | 'plain_http';
  /** The reason, and how to allow the address, as the end of a sentence; it names a range, never the address. */
  readonly reason: string;
}

type Judgement =
  | { readonly kind: 'public' }
  /** The address is in a listed range. */
  | { readonly kind: 'listed' }
  | { readonly kind: 'refused'; readonly rule: AddressRule; readonly what: string };

const RANGES = REFUSED_RANGES.flatMap(({ rule, what, cidrs }) =>
  cidrs.map((cidr) => ({ rule, what: `${what} (${cidr})`, range: ipaddr.parseCIDR(cidr) })),
);
const GLOBAL = ipaddr.parseCIDR(GLOBAL_IPV6);
const RESERVED: Judgement = {
  kind: 'refused',
  rule: 'reserved',
  what: `an address outside the public internet (${GLOBAL_IPV6})`,
};

/** The names of settings for the reasons of refusals. */
export interface GuardSettings {
  readonly cidrs: string;
  readonly http: string;
}

const OF_WEBHOOKS: GuardSettings = { cidrs: 'WEBHOOK_ALLOWED_CIDRS', http: 'WEBHOOK_ALLOW_HTTP' };

/** Keeps requests out of the service's own network: allows only public addresses and the listed ranges. */
export class AddressGuard {
  private readonly allowed: readonly Range[];

  constructor(
    allowedCidrs: readonly string[],
    private readonly allowHttp: boolean,
    private readonly settings: GuardSettings = OF_WEBHOOKS,
  ) {
    this.allowed = allowedCidrs.map((cidr) => rangeOf(cidr));
  }

  /** True when at least some address may be reached by plain http. */
  get mayAllowHttp(): boolean {
    return this.allowHttp || this.allowed.length > 0;
  }

  /** Why plain http is refused, as the end of a sentence. */
  get plainHttp(): string {
    const { cidrs, http } = this.settings;
    return `is plain http, which is refused unless ${http}=true or its address is in ${cidrs}`;
  }

  /** Checks an IPv4 or IPv6 address; null when a request may go there. */
  refusal(address: string, protocol: string): Refusal | null {
    const judgement = isIP(address) === 0 ? RESERVED : this.judge(parse(address));
    if (judgement.kind === 'refused')
      return {
        rule: judgement.rule,
        reason: `is ${judgement.what}, which is refused unless its range is in ${this.settings.cidrs}`,
      };
    if (protocol === 'https:' || this.allowHttp || judgement.kind === 'listed') return null;
    return { rule: 'plain_http', reason: this.plainHttp };
  }

  private judge(address: Address): Judgement {
    if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress())
      return this.judge(address.toIPv4Address());
    if (this.allowed.some((range) => matches(address, range))) return { kind: 'listed' };
    const embedded = embeddedAddressesOf(address);
    if (embedded !== null) return this.judgeEmbedded(embedded.form, embedded.addresses);
    const refused = RANGES.find(({ range }) => matches(address, range));
    if (refused !== undefined) return { kind: 'refused', rule: refused.rule, what: refused.what };
    return address.kind() === 'ipv4' || matches(address, GLOBAL) ? { kind: 'public' } : RESERVED;
  }

  private judgeEmbedded(form: string, addresses: readonly ipaddr.IPv4[]): Judgement {
    const judgements = addresses.map((address) => this.judge(address));
    const refused = judgements.find((judgement) => judgement.kind === 'refused');
    if (refused !== undefined) return { ...refused, what: `the ${form} form of ${refused.what}` };
    const isListed = judgements.every((judgement) => judgement.kind === 'listed');
    return { kind: isListed ? 'listed' : 'public' };
  }
}

/** ipaddr.js parses `::8.8.8.8` as an IPv4-mapped address, so the WHATWG parser first rewrites IPv6 without dots. */
function parse(address: string): Address {
  const [bare = ''] = address.split('%');
  return ipaddr.parse(isIPv6(bare) ? new URL(`http://[${bare}]`).hostname.slice(1, -1) : bare);
}

function matches(address: Address, [network, bits]: Range): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

/** Converts an IPv4-mapped range to the IPv4 range. */
function rangeOf(cidr: string): Range {
  const [, bits] = ipaddr.parseCIDR(cidr);
  const network = parse(cidr.slice(0, cidr.lastIndexOf('/')));
  if (!(network instanceof ipaddr.IPv6) || !network.isIPv4MappedAddress() || bits < 96)
    return [network, bits];
  return [network.toIPv4Address(), bits - 96];
}

interface Embedded {
  readonly form: 'NAT64' | '6to4' | 'Teredo';
  readonly addresses: readonly ipaddr.IPv4[];
}

/** The IPv4 addresses inside an IPv6 address of a translation or tunnel range; null for any other address. */
function embeddedAddressesOf(address: ipaddr.IPv4 | ipaddr.IPv6): Embedded | null {
  if (!(address instanceof ipaddr.IPv6)) return null;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = address.parts;
  if (a === 0x64 && b === 0xff9b && c === 0 && d === 0 && e === 0 && f === 0)
    return { form: 'NAT64', addresses: [ipv4(g, h)] };
  if (a === 0x2002) return { form: '6to4', addresses: [ipv4(b, c)] };
  // A Teredo address contains its server's address, and its client's address with every bit inverted.
  if (a === 0x2001 && b === 0)
    return { form: 'Teredo', addresses: [ipv4(c, d), ipv4(g ^ 0xffff, h ^ 0xffff)] };
  return null;
}

function ipv4(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}
