import ipaddr from 'ipaddr.js';

interface Embedded {
  readonly form: 'NAT64' | '6to4' | 'Teredo';
  readonly addresses: readonly ipaddr.IPv4[];
}

/** The IPv4 addresses inside an IPv6 address of a translation or tunnel range; null for any other address. */
export function embeddedAddressesOf(address: ipaddr.IPv4 | ipaddr.IPv6): Embedded | null {
  if (!(address instanceof ipaddr.IPv6)) return null;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = address.parts;
  if (a === 0x64 && b === 0xff9b && c === 0 && d === 0 && e === 0 && f === 0)
    return { form: 'NAT64', addresses: [ipv4(g, h)] };
  if (a === 0x2002) return { form: '6to4', addresses: [ipv4(b, c)] };
  // A Teredo address contains its server's address, and its client's with every bit inverted.
  if (a === 0x2001 && b === 0)
    return { form: 'Teredo', addresses: [ipv4(c, d), ipv4(g ^ 0xffff, h ^ 0xffff)] };
  return null;
}

function ipv4(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}
