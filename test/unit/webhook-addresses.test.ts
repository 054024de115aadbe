import type { LookupAddress } from 'node:dns';
import { describe, expect, it, afterAll } from '@jest/globals';
import { failureOf } from '../../src/destinations/webhook/webhook-outcome.ts';
import { HostLookup, BlockedAddress, type Resolve } from '../../src/platform/outbound/guarded-connector.ts';
import { isIP } from 'node:net';
import { AddressGuard } from '../../src/platform/outbound/address-guard.ts';
import type { Ending } from '../../src/destinations/webhook/http-attempt.ts';
import { WebhookClient } from '../../src/destinations/webhook/webhook-sender.ts';
import { WebhookUrlCheck } from '../../src/destinations/webhook/webhook-url-check.ts';
import { configOf } from '../support/config-of.ts';
import {
  ACCEPTED_NAMES,
  ALLOW_LISTS,
  PUBLIC_LITERALS,
  REFUSED_LITERALS,
  REFUSED_TEXTS,
} from '../support/webhook-url-cases.ts';

const at = (address: string): LookupAddress[] => [{ address, family: 4 }];

describe('HostLookup', () => {
  it('asks once for all who ask at the same time', async () => {
    let asked = 0;
    const hosts = new HostLookup(async () => at(`192.0.2.${++asked}`));
    const answers = await Promise.all([hosts.find('a'), hosts.find('a'), hosts.find('b')]);
    expect(asked).toBe(2);
    expect(answers[0]).toEqual(answers[1]);
    expect(await hosts.find('a')).toEqual(answers[0]);
    expect(asked).toBe(2);
  });

  it('does not remember a failure', async () => {
    let isDown = true;
    const hosts = new HostLookup(async () => {
      if (isDown) throw new Error('no such host');
      return at('192.0.2.1');
    });
    await expect(hosts.find('a')).rejects.toThrow('no such host');
    isDown = false;
    expect(await hosts.find('a')).toEqual(at('192.0.2.1'));
  });

  it('goes on with the last known addresses while a look-up hangs', async () => {
    let isHanging = false;
    const hosts = new HostLookup(
      () => (isHanging ? new Promise(() => undefined) : Promise.resolve(at('192.0.2.1'))),
      0,
    );
    await hosts.find('a');
    isHanging = true;
    expect(await hosts.find('a')).toEqual(at('192.0.2.1'));
  });
});

describe('failureOf', () => {
  it.each([
    ['ENOTFOUND', 'dns'],
    ['EAI_AGAIN', 'dns'],
    ['ECONNREFUSED', 'refused'],
    ['EHOSTUNREACH', 'refused'],
    ['ETIMEDOUT', 'timeout'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['ECONNRESET', 'reset'],
    ['UND_ERR_SOCKET', 'reset'],
    ['HPE_INVALID_CONSTANT', 'reset'],
    ['UND_ERR_HEADERS_OVERFLOW', 'too_large'],
    ['CERT_HAS_EXPIRED', 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
    ['EPROTO', 'tls'],
    ['EMFILE', null],
    ['ENOBUFS', null],
  ])('calls %s %s', (code, failure) => {
    expect(failureOf(Object.assign(new Error('x'), { code }))).toBe(failure);
  });

  it('calls dns whatever the look-up itself fails with, unless this process is at fault', () => {
    const ofLookup = (code: string): Error => Object.assign(new Error('x'), { code, syscall: 'getaddrinfo' });
    expect(failureOf(ofLookup('EINVAL'))).toBe('dns');
    expect(failureOf(ofLookup('EMFILE'))).toBeNull();
  });

  it('calls what it does not know a reset', () => {
    expect(failureOf(undefined)).toBe('reset');
    expect(failureOf(new Error('x'))).toBe('reset');
  });
});

describe('webhook url table', () => {
  const TIMEOUT_MS = 20_000;
  const HOW_TO_ALLOW = 'which is refused unless its range is in WEBHOOK_ALLOWED_CIDRS';
  const { signal } = new AbortController();
  const clients: WebhookClient[] = [];
  afterAll(() => Promise.all(clients.map((client) => client.close())));

  const urlsIn = (text: string): string[] => text.trim().split(/\s+/);
  const REFUSED = Object.entries(REFUSED_LITERALS).flatMap(([what, urls]) =>
    urlsIn(urls).map((url) => [url, what] as const),
  );

  function guardOf(cidrs: string): AddressGuard {
    return new AddressGuard(configOf({ WEBHOOK_ALLOWED_CIDRS: cidrs }).webhookAllowedCidrs, false);
  }

  function clientOf(guard: AddressGuard, resolve: Resolve): WebhookClient {
    const client = new WebhookClient(guard, new HostLookup(resolve, 0), { timeoutMs: TIMEOUT_MS });
    clients.push(client);
    return client;
  }

  /** Why the connection was refused; what else became of it stays readable in a failure's message. */
  function blockedBy(ending: Ending): unknown {
    if (ending.kind !== 'broken') return ending;
    return ending.error instanceof BlockedAddress ? ending.error.message : ending.error;
  }

  const post = async (client: WebhookClient, url: URL): Promise<unknown> =>
    blockedBy(await client.post(url, {}, Buffer.from('{}'), signal));

  const addressIn = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '');

  const noLookup: Resolve = (hostname) => Promise.reject(new Error(`${hostname} is looked up`));

  const STRICT = guardOf('');
  const CHECK = new WebhookUrlCheck(STRICT);

  describe('the table of webhook URLs', () => {
    it('has at least 300 cases, none of them twice', () => {
      const listed = ALLOW_LISTS.flatMap(([, allowed, refused]) => [...urlsIn(allowed), ...urlsIn(refused)]);
      const counts = [REFUSED, urlsIn(PUBLIC_LITERALS), REFUSED_TEXTS, urlsIn(ACCEPTED_NAMES), listed];
      expect(counts.reduce((sum, cases) => sum + cases.length, 0)).toBeGreaterThanOrEqual(300);
      for (const urls of [REFUSED.map(([url]) => url), urlsIn(PUBLIC_LITERALS)])
        expect(new Set(urls).size).toBe(urls.length);
    });
  });

  describe('a literal address inside', () => {
    const literals = clientOf(STRICT, noLookup);
    const answers = new Map<string, string>();
    const named = clientOf(STRICT, async (hostname) => {
      const address = answers.get(hostname) ?? '';
      return [{ address, family: isIP(address) }];
    });

    it.each(REFUSED)(
      '%s is %s, by its URL, by its connection and as the answer of DNS',
      async (url, what) => {
        const reason = `is ${what}, ${HOW_TO_ALLOW}`;
        expect(CHECK.refusal(url)).toBe(reason);
        expect(await post(literals, new URL(url))).toBe(reason);
        const name = `case-${answers.size}.test`;
        answers.set(name, addressIn(url));
        expect(await post(named, new URL(`https://${name}/`))).toBe(reason);
      },
    );

    it('is judged without its zone when DNS answers with one', async () => {
      answers.set('zoned.test', 'fe80::1%eth0');
      expect(await post(named, new URL('https://zoned.test/'))).toMatch('a link-local address (fe80::/10)');
    });
  });

  describe('a URL that is taken', () => {
    it.each(urlsIn(PUBLIC_LITERALS))('%s is a public address', (url) => {
      expect(CHECK.refusal(url)).toBeNull();
      expect(STRICT.refusal(addressIn(url), 'https:')).toBeNull();
    });

    it.each(urlsIn(ACCEPTED_NAMES))('%s is a name', (url) => {
      expect(CHECK.refusal(url)).toBeNull();
    });
  });

  describe('a URL that is refused', () => {
    it.each(REFUSED_TEXTS)('%j: %s', (url, reason) => {
      expect(CHECK.refusal(url)).toContain(reason);
    });
  });

  describe('WEBHOOK_ALLOWED_CIDRS', () => {
    describe.each(ALLOW_LISTS)('%s', (cidrs, allowed, refused) => {
      const guard = guardOf(cidrs);
      const check = new WebhookUrlCheck(guard);
      const client = clientOf(guard, noLookup);

      it.each(urlsIn(allowed))('lets %s through', (url) => {
        expect(check.refusal(url)).toBeNull();
        const { protocol, hostname } = new URL(url);
        if (hostname !== 'localhost') expect(guard.refusal(addressIn(url), protocol)).toBeNull();
      });

      it.each(urlsIn(refused))('does not let %s through', async (url) => {
        const reason = check.refusal(url);
        expect(reason).toMatch(/which is refused unless .*WEBHOOK_ALLOWED_CIDRS$/);
        expect(await post(client, new URL(url))).toBe(reason);
      });
    });
  });
});

const STRICT = new AddressGuard([], false);

const REFUSED: [address: string, rule: string][] = [
  ['169.254.169.254', 'metadata'],
  ['169.254.170.2', 'metadata'],
  ['169.254.170.23', 'metadata'],
  ['100.100.100.200', 'metadata'],
  ['192.0.0.192', 'metadata'],
  ['168.63.129.16', 'metadata'],
  ['fd00:ec2::254', 'metadata'],
  ['fd20:ce::254', 'metadata'],
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['::', 'unspecified'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['10.0.0.0', 'private'],
  ['10.255.255.255', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.0.1', 'private'],
  ['100.64.0.1', 'carrier_grade_nat'],
  ['100.127.255.255', 'carrier_grade_nat'],
  ['169.254.0.1', 'link_local'],
  ['fe80::1', 'link_local'],
  ['fe80::1%eth0', 'link_local'],
  ['febf::1', 'link_local'],
  ['fc00::1', 'unique_local'],
  ['fdff:ffff::1', 'unique_local'],
  ['fec0::1', 'site_local'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['ff02::1', 'multicast'],
  ['255.255.255.255', 'broadcast'],
  ['240.0.0.1', 'reserved'],
  ['192.0.2.1', 'documentation'],
  ['198.51.100.1', 'documentation'],
  ['203.0.113.1', 'documentation'],
  ['2001:db8::1', 'documentation'],
  ['3fff::1', 'documentation'],
  ['192.0.0.1', 'reserved'],
  ['192.88.99.1', 'reserved'],
  ['198.18.0.1', 'reserved'],
  ['198.19.255.255', 'reserved'],
  ['100::1', 'reserved'],
  ['2001:2::1', 'reserved'],
  ['2001:10::1', 'reserved'],
  ['5f00::1', 'reserved'],
  ['4000::1', 'reserved'],
  ['::127.0.0.1', 'reserved'],
  ['::8.8.8.8', 'reserved'],
  ['::ffff:0:127.0.0.1', 'reserved'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['::ffff:10.1.2.3', 'private'],
  ['::ffff:169.254.169.254', 'metadata'],
  ['64:ff9b::127.0.0.1', 'loopback'],
  ['64:ff9b::a00:1', 'private'],
  ['64:ff9b::169.254.169.254', 'metadata'],
  ['64:ff9b:1::1', 'reserved'],
  ['2002:7f00:1::', 'loopback'],
  ['2002:a00:1::1', 'private'],
  ['2002:a9fe:a9fe::1', 'metadata'],
  ['2001:0:7f00:1::', 'loopback'],
  // Teredo of a public server and the client 127.0.0.1, its bits turned over.
  ['2001:0:808:808:0:0:80ff:fffe', 'loopback'],
  ['not-an-address', 'reserved'],
  ['', 'reserved'],
  ['127.1', 'reserved'],
  ['0x7f.0.0.1', 'reserved'],
];

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001::1',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
];

describe('AddressGuard', () => {
  it.each(REFUSED)('refuses %s as %s', (address, rule) => {
    expect(STRICT.refusal(address, 'https:')).toMatchObject({ rule });
  });

  it.each(PUBLIC)('lets %s through', (address) => {
    expect(STRICT.refusal(address, 'https:')).toBeNull();
  });

  it('says which range is refused and how to allow it, without repeating the address', () => {
    expect(STRICT.refusal('10.20.30.40', 'https:')?.reason).toBe(
      'is a private address (10.0.0.0/8), which is refused unless its range is in WEBHOOK_ALLOWED_CIDRS',
    );
  });

  it.each([
    ['10.0.0.0/8', '10.9.9.9'],
    ['10.0.0.0/8', '::ffff:10.9.9.9'],
    ['10.0.0.0/8', '64:ff9b::10.9.9.9'],
    ['::ffff:10.0.0.0/104', '10.9.9.9'],
    ['127.0.0.1/32', '127.0.0.1'],
    ['fd12::/16', 'fd12::7'],
    ['::1/128', '::1'],
  ])('allows by %s the address %s, over plain http too', (cidr, address) => {
    const guard = new AddressGuard([cidr], false);
    expect(guard.refusal(address, 'https:')).toBeNull();
    expect(guard.refusal(address, 'http:')).toBeNull();
  });

  it.each([
    ['10.0.0.0/8', '11.0.0.1', 'plain_http'],
    ['10.0.0.0/8', '127.0.0.1', 'loopback'],
    ['127.0.0.1/32', '127.0.0.2', 'loopback'],
    ['127.0.0.0/8', '::1', 'loopback'],
  ])('does not allow by %s the address %s', (cidr, address, rule) => {
    expect(new AddressGuard([cidr], false).refusal(address, 'http:')).toMatchObject({ rule });
  });

  it('refuses plain http to a public address unless it is allowed', () => {
    expect(STRICT.refusal('8.8.8.8', 'http:')).toMatchObject({ rule: 'plain_http' });
    expect(new AddressGuard([], true).refusal('8.8.8.8', 'http:')).toBeNull();
    expect(new AddressGuard([], true).refusal('127.0.0.1', 'http:')).toMatchObject({ rule: 'loopback' });
  });
});

describe('WebhookUrlCheck', () => {
  const check = new WebhookUrlCheck(STRICT);

  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://127.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://127.0.0.1./',
    'https://127.0.0.1:8443/hook',
    'https://１２７.0.0.1/',
    'https://127。0。0。1/',
    'https://%31%32%37.0.0.1/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://localhost/',
    'https://localhost./',
    'https://LOCALHOST/',
    'https://shop.localhost/',
  ])('refuses the loopback address in %s', (url) => {
    expect(check.refusal(url)).toMatch(/loopback address.*WEBHOOK_ALLOWED_CIDRS/);
  });

  it.each([
    ['https://[::ffff:10.0.0.1]/', /private/],
    ['https://[::ffff:a00:1]/', /private/],
    ['https://[64:ff9b::7f00:1]/', /NAT64 form of a loopback/],
    ['https://[2002:7f00:1::]/', /6to4 form of a loopback/],
    ['https://0/', /unspecified/],
    ['https://0.0.0.0/', /unspecified/],
    ['https://[::]/', /unspecified/],
    ['https://169.254.169.254/latest', /metadata/],
    ['https://0xa9fea9fe/', /metadata/],
    ['https://[fd00:ec2::254]/', /metadata/],
    ['https://4294967295/', /broadcast/],
    ['https://[fe80::1%25eth0]/', /not a URL/],
    ['https://256.256.256.256/', /not a URL/],
    ['https://', /not a URL/],
    ['shop.example/hook', /not a URL/],
    ['', /not a URL/],
    ['ftp://shop.example/', /must begin with https/],
    ['file:///etc/passwd', /must begin with https/],
    ['javascript:alert(1)', /must begin with https/],
    ['https://user@shop.example/', /user name/],
    ['https://user:secret@shop.example/', /user name/],
    ['https://shop.example@127.0.0.1/', /user name/],
    ['https://shop.exa\nmple/', /spaces or control/],
    [' https://shop.example/', /spaces or control/],
    ['http://shop.example/', /WEBHOOK_ALLOW_HTTP/],
    ['http://8.8.8.8/', /WEBHOOK_ALLOW_HTTP/],
  ])('refuses %j', (url, reason) => {
    expect(check.refusal(url)).toMatch(reason);
  });

  it.each([
    'https://shop.example/hook?x=1',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]:8443/',
    'https://bücher.example/',
  ])('accepts %s', (url) => {
    expect(check.refusal(url)).toBeNull();
  });

  it('accepts loopback and plain http once the range is allowed', () => {
    const allowing = new WebhookUrlCheck(new AddressGuard(['127.0.0.0/8'], false));
    expect(allowing.refusal('http://127.0.0.1:9000/')).toBeNull();
    expect(allowing.refusal('http://localhost:9000/')).toBeNull();
    expect(allowing.refusal('http://[::1]:9000/')).toMatch(/loopback/);
    expect(allowing.refusal('http://8.8.8.8/')).toMatch(/plain http/);
  });

  it('leaves plain http to a name for the connection to judge when some range is allowed', () => {
    const allowing = new WebhookUrlCheck(new AddressGuard(['10.0.0.0/8'], false));
    expect(allowing.refusal('http://shop.internal/')).toBeNull();
  });
});
