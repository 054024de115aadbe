import { isIP } from 'node:net';

import { afterAll, describe, expect, it } from '@jest/globals';

import { AddressGuard } from '../../src/platform/outbound/address-guard.ts';
import type { Ending } from '../../src/destinations/webhook/http-attempt.ts';
import { BlockedAddress, HostLookup, type Resolve } from '../../src/platform/outbound/guarded-connector.ts';
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

  it.each(REFUSED)('%s is %s, by its URL, by its connection and as the answer of DNS', async (url, what) => {
    const reason = `is ${what}, ${HOW_TO_ALLOW}`;
    expect(CHECK.refusal(url)).toBe(reason);
    expect(await post(literals, new URL(url))).toBe(reason);
    const name = `case-${answers.size}.test`;
    answers.set(name, addressIn(url));
    expect(await post(named, new URL(`https://${name}/`))).toBe(reason);
  });

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
