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
    ['UNSPECIFIED', 'tls'],
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

  /** Why the connection was refused; a failed test's message also shows any other end. */
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

describe('AddressGuard', () => {
  const guard = new AddressGuard([], false);

  /** Forms that no URL has; the table above has the others. */
  it.each([
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['not-an-address', 'reserved'],
    ['', 'reserved'],
    ['127.1', 'reserved'],
    ['0x7f.0.0.1', 'reserved'],
  ])('refuses %s as %s', (address, rule) => {
    expect(guard.refusal(address, 'https:')).toMatchObject({ rule });
  });

  it('refuses plain http to a public address unless it is allowed', () => {
    expect(guard.refusal('8.8.8.8', 'http:')).toMatchObject({ rule: 'plain_http' });
    expect(new AddressGuard([], true).refusal('8.8.8.8', 'http:')).toBeNull();
    expect(new AddressGuard([], true).refusal('127.0.0.1', 'http:')).toMatchObject({ rule: 'loopback' });
  });

  it('leaves plain http to a name for the connection to judge when some range is allowed', () => {
    const allowing = new WebhookUrlCheck(new AddressGuard(['10.0.0.0/8'], false));
    expect(allowing.refusal('http://shop.internal/')).toBeNull();
  });
});
