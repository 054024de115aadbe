import ipaddr from 'ipaddr.js';

interface Embedded {
  readonly form: 'NAT64' | '6to4' | 'Teredo';
  readonly addresses: readonly ipaddr.IPv4[];
}

/** The IPv4 addresses that an IPv6 address of a translating or tunnelling range stands for; null for any other. */
export function embeddedIn(address: ipaddr.IPv4 | ipaddr.IPv6): Embedded | null {
  if (!(address instanceof ipaddr.IPv6)) return null;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = address.parts;
  if (a === 0x64 && b === 0xff9b && c === 0 && d === 0 && e === 0 && f === 0)
    return { form: 'NAT64', addresses: [ipv4(g, h)] };
  if (a === 0x2002) return { form: '6to4', addresses: [ipv4(b, c)] };
  // Teredo holds its server plainly and its client with every bit turned over.
  if (a === 0x2001 && b === 0)
    return { form: 'Teredo', addresses: [ipv4(c, d), ipv4(g ^ 0xffff, h ^ 0xffff)] };
  return null;
}

function ipv4(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}
