export type AddressRule =
  | 'metadata'
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'carrier_grade_nat'
  | 'link_local'
  | 'unique_local'
  | 'site_local'
  | 'multicast'
  | 'broadcast'
  | 'documentation'
  | 'reserved';

interface RefusedRange {
  readonly rule: AddressRule;
  /** The range's name, as part of a sentence. */
  readonly what: string;
  readonly cidrs: readonly string[];
}

/** The ranges outside the public internet, from IANA's special-purpose registries. The first match is reported. */
export const REFUSED_RANGES: readonly RefusedRange[] = [
  {
    rule: 'metadata',
    what: "a cloud provider's metadata address",
    cidrs: [
      '169.254.169.254/32',
      '169.254.170.2/32',
      '169.254.170.23/32',
      '169.254.42.42/32',
      '169.254.0.23/32',
      '100.100.100.200/32',
      '192.0.0.192/32',
      '168.63.129.16/32',
      'fd00:ec2::254/128',
      'fd00:ec2::23/128',
      'fd20:ce::254/128',
      'fd00:42::42/128',
      'fe80::a9fe:a9fe/128',
    ],
  },
  { rule: 'broadcast', what: 'the broadcast address', cidrs: ['255.255.255.255/32'] },
  { rule: 'unspecified', what: 'an unspecified address', cidrs: ['0.0.0.0/8', '::/128'] },
  { rule: 'loopback', what: 'a loopback address', cidrs: ['127.0.0.0/8', '::1/128'] },
  { rule: 'private', what: 'a private address', cidrs: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'] },
  { rule: 'carrier_grade_nat', what: 'a carrier-grade NAT address', cidrs: ['100.64.0.0/10'] },
  { rule: 'link_local', what: 'a link-local address', cidrs: ['169.254.0.0/16', 'fe80::/10'] },
  { rule: 'unique_local', what: 'a unique-local address', cidrs: ['fc00::/7'] },
  { rule: 'site_local', what: 'a site-local address', cidrs: ['fec0::/10'] },
  { rule: 'multicast', what: 'a multicast address', cidrs: ['224.0.0.0/4', 'ff00::/8'] },
  {
    rule: 'documentation',
    what: 'a documentation address',
    cidrs: ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
  },
  {
    rule: 'reserved',
    what: 'an IPv4 address in a form that is no longer in use',
    cidrs: ['::/96', '::ffff:0:0:0/96'],
  },
  // Each network puts the IPv4 address at a position of its own, so that only the whole range can be refused.
  { rule: 'reserved', what: "a network's own NAT64 address", cidrs: ['64:ff9b:1::/48'] },
  {
    rule: 'reserved',
    what: 'a reserved address',
    cidrs: [
      '192.0.0.0/24',
      '192.31.196.0/24',
      '192.52.193.0/24',
      '192.88.99.0/24',
      '192.175.48.0/24',
      '198.18.0.0/15',
      '240.0.0.0/4',
      '100::/64',
      '100:0:0:1::/64',
      '2001::/23',
      '2620:4f:8000::/48',
      '5f00::/16',
    ],
  },
];

/** All other IPv6 addresses are unassigned, or embed IPv4 addresses in forms that are no longer in use. */
export const GLOBAL_IPV6 = '2000::/3';
