/** URLs whose host is a literal address, by the reason for their refusal; white space separates several on a line. */
export const REFUSED_LITERALS: Readonly<Record<string, string>> = {
  'a loopback address (127.0.0.0/8)': `
    https://127.0.0.1/ https://127.0.0.2/ https://127.255.255.255/ https://127.0.0.1:8443/hook https://127.0.0.1:443/
    https://127.1/ https://127.0.1/ https://127.65535/ https://127.16777215/ https://2130706433/ https://2147483647/
    https://0x7f000001/ https://0X7F000001/ https://0x7f.1/ https://0x7f.0x0.0x0.0x1/ https://0x7f.0.0x1/
    https://0177.0.0.1/ https://0177.0.0.01/ https://00000177.0.0.1/ https://017700000001/ https://0177.1/
    https://0177.0x0.0.1/ https://127.0x00000001/ https://0x000000000000007f000001/ https://127.000.000.001/
    https://127.0.0.1./ https://127.1./ https://2130706433./ https://0x7f000001.:8443/
    https://１２７.０.０.１/ https://127。0。0。1/ https://127．0．0．1/ https://127｡0｡0｡1/ https://①②⑦.0.0.1/
    https://𝟏𝟐𝟕.0.0.1/ https://%31%32%37.0.0.1/ https://127%2e0%2E0.1/ https://0x7%66.1/ https://%EF%BC%9127.0.0.1/
    HTTPS://127.0.0.1/ hTTps://127.1/ https://127.0.0.1?x=shop.example
    https://[::ffff:127.0.0.1]/ https://[::FFFF:7F00:1]/ https://[0:0:0:0:0:ffff:127.0.0.1]/
    https://[0000:0000:0000:0000:0000:ffff:7f00:0001]/`,
  'a loopback address (::1/128)': `
    https://[::1]/ https://[0:0:0:0:0:0:0:1]/ https://[0000::0001]/ https://[::0.0.0.1]/ https://[::1]:8443/
    https://[0::0:0:1]/`,
  'an unspecified address (0.0.0.0/8)': `
    https://0/ https://0x0/ https://00/ https://0.0/ https://0.0.0.0/ https://0.0.0.0./ https://0.255.255.255/
    https://0x00ffffff/ https://1/ https://[::ffff:0.0.0.0]/`,
  'an unspecified address (::/128)': `https://[::]/ https://[0:0:0:0:0:0:0:0]/ https://[::0.0.0.0]/`,
  'a private address (10.0.0.0/8)': `
    https://10.0.0.0/ https://10.255.255.255/ https://10.1/ https://012.0.0.1/ https://0xa.0.0.1/ https://167772161/
    https://0x0a000001/ https://[::ffff:10.0.0.1]/ https://[::ffff:a00:1]/`,
  'a private address (172.16.0.0/12)': `https://172.16.0.0/ https://172.31.255.255/ https://0xac.0x10.1/ https://2886729729/`,
  'a private address (192.168.0.0/16)': `
    https://192.168.0.0/ https://192.168.255.255/ https://192.168.257/ https://0300.0250.0.1/ https://3232235521/`,
  'a carrier-grade NAT address (100.64.0.0/10)': `https://100.64.0.0/ https://100.127.255.255/ https://0x64.64.1/`,
  'a link-local address (169.254.0.0/16)': `https://169.254.0.1/ https://169.254.255.255/ https://169.254.257/`,
  'a link-local address (fe80::/10)': `https://[fe80::1]/ https://[FE80::1]/ https://[febf:ffff::1]/`,
  "a cloud provider's metadata address (169.254.169.254/32)": `
    https://169.254.169.254/latest/meta-data/ https://169.254.43518/ https://169.16689662/ https://2852039166/
    https://0xa9fea9fe/ https://0xa9.0xfe.0xa9.0xfe/ https://0251.0376.0251.0376/ https://169.254.169.254./
    https://[::ffff:169.254.169.254]/ https://[::ffff:a9fe:a9fe]/`,
  "a cloud provider's metadata address (169.254.170.2/32)": `https://169.254.170.2/v2/credentials`,
  "a cloud provider's metadata address (169.254.170.23/32)": `https://169.254.170.23/v1/credentials`,
  "a cloud provider's metadata address (169.254.42.42/32)": `https://169.254.42.42/conf`,
  "a cloud provider's metadata address (169.254.0.23/32)": `https://169.254.0.23/`,
  "a cloud provider's metadata address (100.100.100.200/32)": `https://100.100.100.200/ https://1684301000/`,
  "a cloud provider's metadata address (192.0.0.192/32)": `https://192.0.0.192/opc/v2/`,
  "a cloud provider's metadata address (168.63.129.16/32)": `https://168.63.129.16/ https://0xa83f8110/`,
  "a cloud provider's metadata address (fd00:ec2::254/128)": `https://[fd00:ec2::254]/ https://[FD00:0EC2:0::0254]/`,
  "a cloud provider's metadata address (fd00:ec2::23/128)": `https://[fd00:ec2::23]/`,
  "a cloud provider's metadata address (fd20:ce::254/128)": `https://[fd20:ce::254]/`,
  "a cloud provider's metadata address (fd00:42::42/128)": `https://[fd00:42::42]/`,
  "a cloud provider's metadata address (fe80::a9fe:a9fe/128)": `https://[fe80::a9fe:a9fe]/ https://[fe80::169.254.169.254]/`,
  'the broadcast address (255.255.255.255/32)': `https://255.255.255.255/ https://4294967295/ https://0xffffffff/`,
  'a multicast address (224.0.0.0/4)': `https://224.0.0.1/ https://239.255.255.255/ https://0xe0000001/`,
  'a multicast address (ff00::/8)': `https://[ff02::1]/ https://[ff0e::1]/`,
  'a unique-local address (fc00::/7)': `https://[fc00::1]/ https://[fdff:ffff:ffff::1]/`,
  'a site-local address (fec0::/10)': `https://[fec0::1]/ https://[feff::1]/`,
  'a documentation address (192.0.2.0/24)': `https://192.0.2.1/`,
  'a documentation address (198.51.100.0/24)': `https://198.51.100.1/`,
  'a documentation address (203.0.113.0/24)': `https://203.0.113.255/`,
  'a documentation address (2001:db8::/32)': `https://[2001:db8::1]/`,
  'a documentation address (3fff::/20)': `https://[3fff:fff::1]/`,
  'a reserved address (192.0.0.0/24)': `https://192.0.0.0/ https://192.0.0.8/ https://192.0.0.10/ https://192.0.0.171/`,
  'a reserved address (192.31.196.0/24)': `https://192.31.196.1/`,
  'a reserved address (192.52.193.0/24)': `https://192.52.193.1/`,
  'a reserved address (192.88.99.0/24)': `https://192.88.99.2/`,
  'a reserved address (192.175.48.0/24)': `https://192.175.48.1/`,
  'a reserved address (198.18.0.0/15)': `https://198.18.0.0/ https://198.19.255.255/`,
  'a reserved address (240.0.0.0/4)': `https://240.0.0.1/ https://255.255.255.254/ https://0xf0000001/`,
  'a reserved address (100::/64)': `https://[100::1]/`,
  'a reserved address (100:0:0:1::/64)': `https://[100:0:0:1::1]/`,
  'a reserved address (2001::/23)': `
    https://[2001:1::1]/ https://[2001:1::3]/ https://[2001:2::1]/ https://[2001:3::1]/ https://[2001:4:112::1]/
    https://[2001:10::1]/ https://[2001:20::1]/ https://[2001:30::1]/ https://[2001:1ff::1]/`,
  'a reserved address (2620:4f:8000::/48)': `https://[2620:4f:8000::1]/`,
  'a reserved address (5f00::/16)': `https://[5f00::1]/`,
  'an IPv4 address in a form that is no longer in use (::/96)': `
    https://[::127.0.0.1]/ https://[::7f00:1]/ https://[::8.8.8.8]/ https://[::169.254.169.254]/`,
  'an IPv4 address in a form that is no longer in use (::ffff:0:0:0/96)': `
    https://[::ffff:0:127.0.0.1]/ https://[::ffff:0:808:808]/`,
  "a network's own NAT64 address (64:ff9b:1::/48)": `
    https://[64:ff9b:1::1]/ https://[64:ff9b:1::10.0.0.1]/ https://[64:ff9b:1:a00:0:100::]/ https://[64:ff9b:1::8.8.8.8]/
    https://[64:ff9b:1:ffff::a9fe:a9fe]/`,
  'an address outside the public internet (2000::/3)': `
    https://[1fff::1]/ https://[4000::1]/ https://[64:ff9b:2::8.8.8.8]/ https://[64:ff9b:0:0:0:1:808:808]/ https://[200::1]/
    https://[e000::1]/ https://[::1:0:0:1]/ https://[::fffe:127.0.0.1]/`,
  'the NAT64 form of a loopback address (127.0.0.0/8)': `https://[64:ff9b::127.0.0.1]/ https://[0064:FF9B::7F00:0001]/`,
  'the NAT64 form of a private address (10.0.0.0/8)': `https://[64:ff9b::a00:1]/`,
  "the NAT64 form of a cloud provider's metadata address (169.254.169.254/32)": `https://[64:ff9b::169.254.169.254]/`,
  'the NAT64 form of an unspecified address (0.0.0.0/8)': `https://[64:ff9b::]/`,
  'the 6to4 form of a loopback address (127.0.0.0/8)': `https://[2002:7f00:1::]/ https://[2002:7f00:1:1:2:3:4:5]/`,
  'the 6to4 form of a private address (192.168.0.0/16)': `https://[2002:c0a8:1::1]/`,
  "the 6to4 form of a cloud provider's metadata address (169.254.169.254/32)": `https://[2002:a9fe:a9fe::1]/`,
  'the Teredo form of a loopback address (127.0.0.0/8)': `
    https://[2001:0:7f00:1::]/ https://[2001:0:808:808:0:0:80ff:fffe]/`,
  'the Teredo form of a private address (10.0.0.0/8)': `https://[2001::808:808:0:0:f5ff:fffe]/`,
};

/** Literal addresses of the public internet, most of them right beside a refused range. */
export const PUBLIC_LITERALS = `
  https://1.0.0.0/ https://1.1.1.1/ https://8.8.8.8/ https://134744072/ https://0x8.8.8.8/ https://010.8.8.8/
  https://9.255.255.255/ https://11.0.0.0/ https://100.63.255.255/ https://100.128.0.0/ https://126.255.255.255/
  https://128.0.0.0/ https://168.63.129.17/ https://169.253.255.255/ https://169.255.0.0/ https://172.15.255.255/
  https://172.32.0.0/ https://191.255.255.255/ https://192.0.1.0/ https://192.0.3.0/ https://192.31.195.255/
  https://192.88.98.255/ https://192.88.100.0/ https://192.167.255.255/ https://192.169.0.0/ https://198.17.255.255/
  https://198.20.0.0/ https://198.51.99.255/ https://203.0.114.0/ https://223.255.255.255/ https://8.8.8.8./
  https://８.８.８.８/ HTTPS://8.8.8.8:8443/ https://[2000::1]/ https://[2001:200::1]/ https://[2001:4860:4860::8888]/
  https://[2001:db7:ffff::1]/ https://[2001:db9::1]/ https://[2606:4700:4700::1111]:8443/ https://[2A00:1450:4001::1]/
  https://[2620:4f:7fff::1]/ https://[2620:4f:8001::1]/ https://[3ffe::1]/ https://[3fff:1000::1]/
  https://[::ffff:8.8.8.8]/ https://[64:ff9b::8.8.8.8]/ https://[2002:808:808::1]/ https://[2001:0:808:808:0:0:f7f7:f7f7]/`;

/** URLs that are refused before any address is checked, and the reasons. */
export const REFUSED_TEXTS: readonly (readonly [url: string, reason: string])[] = [
  ['https://127.0.0.1 /', 'spaces or control'],
  [' https://8.8.8.8/', 'spaces or control'],
  ['https://8.8.8.8/a b', 'spaces or control'],
  ['https://127.0.\t0.1/', 'spaces or control'],
  ['https://127.0.0.1\r\nhost: shop.example/', 'spaces or control'],
  ['ht\ntps://127.0.0.1/', 'spaces or control'],
  ['\u0000https://8.8.8.8/', 'spaces or control'],
  ['https://shop.example/\u0000', 'spaces or control'],
  ['https://shop.example/\u007f', 'spaces or control'],
  ['https://shop\u00a0.example/', 'spaces or control'],
  ['\ufeffhttps://shop.example/', 'spaces or control'],
  ['https://sh\u00adop.example/', 'spaces or control'],
  ['https://shop.example/\u202egpj.exe', 'spaces or control'],
  ['https://shop.example\\@127.0.0.1/', 'a backslash'],
  ['https:\\\\127.0.0.1\\', 'a backslash'],
  ['https:127.0.0.1', 'must begin with https'],
  ['https:/127.0.0.1/', 'must begin with https'],
  ['https:///127.0.0.1/', 'must begin with https'],
  ['ftp://127.0.0.1/', 'must begin with https'],
  ['ws://shop.example/', 'must begin with https'],
  ['file:///etc/passwd', 'must begin with https'],
  ['unix:/var/run/docker.sock', 'must begin with https'],
  ['data:text/plain,x', 'must begin with https'],
  ['javascript:alert(1)', 'must begin with https'],
  ['https://user@shop.example/', 'a user name or a password'],
  ['https://:password@8.8.8.8/', 'a user name or a password'],
  ['https://@8.8.8.8/', 'a user name or a password'],
  ['https://shop.example@127.0.0.1/', 'a user name or a password'],
  ['', 'is not a URL'],
  ['https://', 'is not a URL'],
  ['//127.0.0.1/', 'is not a URL'],
  ['shop.example/hook', 'is not a URL'],
  ['https://256.256.256.256/', 'is not a URL'],
  ['https://127..1/', 'is not a URL'],
  ['https://127.0.0.0x/', 'a loopback address (127.0.0.0/8)'],
  ['https://127.0.0.1:65536/', 'is not a URL'],
  ['https://[fe80::1%25eth0]/', 'is not a URL'],
  ['https://[::ffff:127.1]/', 'is not a URL'],
  ['https://xn--/', 'is not a URL'],
  ['https://%78n--/', 'is not a URL'],
  ['https://xn--a/', 'is not a URL'],
  ['https://shop.xn--zz/', 'is not a URL'],
  ['https://xn--127-0-0-1/', 'is not a URL'],
  ['https://xn--xn--a-ecp.example/', 'is not a URL'],
  ['https://%00/', 'is not a URL'],
  ['https://localhost/', 'a loopback address (127.0.0.0/8)'],
  ['https://LOCALHOST:8443/', 'a loopback address (127.0.0.0/8)'],
  ['https://localhost./', 'a loopback address (127.0.0.0/8)'],
  ['https://ｌｏｃａｌｈｏｓｔ/', 'a loopback address (127.0.0.0/8)'],
  ['https://%6cocalhost/', 'a loopback address (127.0.0.0/8)'],
  ['https://shop.localhost/', 'a loopback address (127.0.0.0/8)'],
  ['http://shop.example/', 'plain http, which is refused unless WEBHOOK_ALLOW_HTTP=true'],
  ['http://8.8.8.8/', 'plain http, which is refused unless WEBHOOK_ALLOW_HTTP=true'],
  ['HTTP://8.8.8.8/', 'plain http, which is refused unless WEBHOOK_ALLOW_HTTP=true'],
  ['http://[2606:4700::1111]/', 'plain http, which is refused unless WEBHOOK_ALLOW_HTTP=true'],
  ['http://10.0.0.1/', 'a private address (10.0.0.0/8)'],
  ['https://shop.example/hook#part', 'a fragment'],
  ['https://shop.example/#', 'a fragment'],
  ['https://127.0.0.1#@shop.example', 'a fragment'],
  ['https://shop.example:0/', 'has port 0'],
  ['https://8.8.8.8:00000/', 'has port 0'],
  ['https://shop..example/h', 'an empty label'],
  ['https://.shop.example/', 'an empty label'],
  ['https://shop.example../', 'an empty label'],
  ['https://127.0.0.1../', 'an empty label'],
  ['https://./', 'an empty label'],
  [`https://${'x'.repeat(64)}.example/`, 'a label of more than 63 letters'],
  [`https://${'ü'.repeat(60)}.example/`, 'a label of more than 63 letters'],
  [`https://${'x'.repeat(300)}/`, 'a label of more than 63 letters'],
  [`https://${`${'x'.repeat(49)}.`.repeat(5)}long/`, 'a host of more than 253 letters'],
];

const LONGEST = `${`${'x'.repeat(49)}.`.repeat(5)}exa`;

/** Names that reveal nothing by themselves: each connection checks their addresses. */
export const ACCEPTED_NAMES = `
  https://shop.example/ HTTPS://SHOP.EXAMPLE/hook?x=1%23y https://shop.example./ https://shop.example:8443/ https://bücher.example/
  https://xn--bcher-kva.example/ https://XN--BCHER-KVA.xn--p1ai./ https://xn--ls8h.example/ https://xn--fa-hia.example/
  https://日本.example/ https://127.0.0.1.nip.io/ https://1.2.3.4.5.example/ https://localhost.example/
  https://metadata.google.internal/ https://${LONGEST}/ https://${LONGEST}./ https://${'x'.repeat(63)}.example/ https://shop.example/@user https://shop.example/?next=https://user@127.0.0.1/`;

/** For each list in WEBHOOK_ALLOWED_CIDRS: the addresses that are allowed over plain http, and those still refused. */
export const ALLOW_LISTS: readonly (readonly [cidrs: string, allowed: string, refused: string])[] = [
  [
    '10.0.0.0/8',
    'http://10.0.0.0/ http://10.255.255.255/ http://012.1/ http://[::ffff:10.1.2.3]/ http://[64:ff9b::10.1.2.3]/',
    'http://9.255.255.255/ http://11.0.0.0/ https://192.168.0.1/ https://[::10.0.0.1]/ https://[64:ff9b:1::10.0.0.1]/',
  ],
  ['10.1.2.3/32', 'https://10.1.2.3/ https://167838211/', 'https://10.1.2.2/ https://10.1.2.4/'],
  ['10.1.2.128/25', 'https://10.1.2.128/ https://10.1.2.255/', 'https://10.1.2.127/ https://10.1.3.0/'],
  [
    '127.0.0.0/8',
    'http://127.1/ http://localhost/',
    'https://[::1]/ https://0.0.0.0/ https://[::127.0.0.1]/',
  ],
  ['::1/128', 'http://[::1]/ http://localhost/', 'https://127.0.0.1/ https://[::]/ https://[::2]/'],
  [
    'fd12::/16',
    'http://[fd12::7]/ http://[fd12:ffff::]/',
    'https://[fd11::7]/ https://[fd13::]/ https://10.0.0.1/',
  ],
  ['fe80::/10', 'https://[fe80::1]/', 'https://[fec0::1]/ https://169.254.0.1/'],
  [
    '::ffff:10.0.0.0/104',
    'http://10.9.9.9/ http://[::ffff:10.9.9.9]/',
    'http://11.0.0.1/ https://[::10.9.9.9]/ http://[2606::1]/',
  ],
  ['::ffff:10.1.2.3/128', 'http://10.1.2.3/', 'https://10.1.2.4/'],
  ['::10.0.0.0/104', 'https://[::10.9.9.9]/', 'https://10.9.9.9/ https://[::ffff:10.9.9.9]/'],
  [
    '64:ff9b:1::/48',
    'https://[64:ff9b:1::8.8.8.8]/',
    'https://[64:ff9b::10.0.0.1]/ https://[64:ff9b:2::1]/ https://10.0.0.1/',
  ],
  ['64:ff9b::a00:0/104', 'https://[64:ff9b::10.0.0.1]/', 'https://[64:ff9b::127.0.0.1]/ https://10.0.0.1/'],
  ['169.254.169.254/32', 'http://169.254.169.254/', 'https://169.254.169.253/ https://169.254.170.2/'],
  [
    '0.0.0.0/0',
    'http://127.0.0.1/ http://8.8.8.8/ http://[::ffff:10.0.0.1]/',
    'https://[::1]/ https://[fd00::1]/',
  ],
  [
    '::/0',
    'http://[::1]/ http://[fd00::1]/',
    'https://127.0.0.1/ https://[::ffff:127.0.0.1]/ http://8.8.8.8/',
  ],
  ['10.0.0.0/8,fd00::/8', 'http://10.0.0.1/ http://[fd00::1]/', 'https://[fc00::1]/ https://172.16.0.1/'],
];
