import type { ServerResponse } from 'node:http';

import { afterEach, describe, expect, it } from '@jest/globals';

import { ProviderUnavailable } from '../../src/ports/payment-provider.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { QUOTE_REQUEST, reportOf, ScriptedProviders, statusOf } from '../support/scripted-provider.ts';

const providers = new ScriptedProviders();
afterEach(() => providers.stop());

const QUOTE = '{"success":true, "quoteId":"quote-1","expiresIn":300,"send":{"depositAddress":"0xabc"}}';

const startWithBrokenKey = (): unknown => providers.client('http://127.0.0.1:1', { apiKey: 'secret\nkey' });

describe('what the http provider sends', () => {
  it('posts exactly the six fields of a quote, as JSON, with a key and a name', async () => {
    const { baseUrl, seen } = await providers.recording(QUOTE);
    await providers.client(baseUrl).createQuote({ ...QUOTE_REQUEST, orderId: 'A-1' } as typeof QUOTE_REQUEST);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/api/quote' });
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual(QUOTE_REQUEST);
    expect(seen[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'x-api-key': 'key-of-the-provider',
      'user-agent': expect.stringMatching(/^Paybell\/\d+\.\d+\.\d+/),
    });
    expect(seen[0]?.headers).not.toHaveProperty('authorization');
  });

  it('asks for a status with the same headers, but those of a body', async () => {
    const { baseUrl, seen } = await providers.recording(reportOf());
    await statusOf(providers.client(baseUrl));
    expect(seen[0]?.headers).toEqual({
      host: new URL(baseUrl).host,
      connection: 'keep-alive',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'x-api-key': 'key-of-the-provider',
      'user-agent': expect.stringMatching(/^Paybell\//),
    });
  });

  it('sends the key as a bearer token where the provider wants that', async () => {
    const { baseUrl, seen } = await providers.recording(reportOf());
    await statusOf(providers.client(baseUrl, { auth: 'bearer' }));
    expect(seen[0]?.headers.authorization).toBe('Bearer key-of-the-provider');
    expect(seen[0]?.headers).not.toHaveProperty('x-api-key');
  });

  it('sends no key when there is none', async () => {
    const { baseUrl, seen } = await providers.recording(reportOf());
    await statusOf(providers.client(baseUrl, { apiKey: null, auth: 'bearer' }));
    expect(Object.keys(seen[0]?.headers ?? {})).not.toEqual(expect.arrayContaining(['authorization']));
    expect(Object.keys(seen[0]?.headers ?? {})).not.toEqual(expect.arrayContaining(['x-api-key']));
  });

  it.each(['', '/v1/pay', '/v1/pay//'])('keeps a base path of "%s"', async (path) => {
    const { baseUrl, seen } = await providers.recording(reportOf());
    await statusOf(providers.client(baseUrl + path), 'a:b~c');
    expect(seen[0]?.method).toBe('GET');
    expect(seen[0]?.url).toBe(`${path.replace(/\/+$/, '')}/api/status/a%3Ab~c`);
  });

  it.each(['', '../chains', '\ud800', 'x'.repeat(129)])(
    'asks nothing about the id "%s", which can be none',
    async (id) => {
      const { baseUrl, seen } = await providers.recording(reportOf());
      expect(await statusOf(providers.client(baseUrl), id)).toMatchObject({
        kind: 'refused',
        httpStatus: 404,
      });
      expect(seen).toEqual([]);
    },
  );

  it('tells that a status request leaves once it has a connection', async () => {
    const held: ServerResponse[] = [];
    const baseUrl = await providers.http((_request, response) => held.push(response));
    const provider = providers.client(baseUrl, { maxConcurrency: 1 });
    const sent: string[] = [];
    const read = (quoteId: string): Promise<unknown> => {
      const onSent = (): void => void sent.push(quoteId);
      const known = { digestOf: () => null, onUnchanged: () => undefined, onSent };
      return provider.readStatuses([quoteId], () => undefined, known);
    };
    const answer = async (): Promise<void> =>
      void (await waitFor(() => held.pop(), { what: 'a request' })).end(reportOf());
    const [first, second] = [read('a'), read('b')];
    expect(sent).toEqual([]);
    await waitFor(() => held.length === 1, { what: 'the first request' });
    expect(sent).toEqual(['a']);
    await answer();
    await first;
    await answer();
    await second;
    expect(sent).toEqual(['a', 'b']);
  });

  it('passes a currency search on as it is', async () => {
    const answer = '{"success":true,"currencies":[{"decimals":18}],"next":12345678901234567890123}';
    const { baseUrl, seen } = await providers.recording(answer);
    const search = { chainIds: [1, 8453], term: 'usdc', limit: 5 };
    expect(await providers.client(baseUrl).searchCurrencies(search)).toBe(answer);
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/api/currencies' });
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual(search);
  });

  it('does not follow a redirect, which could take the key elsewhere', async () => {
    const elsewhere = await providers.recording(reportOf());
    const base = await providers.answering(302, '', { location: `${elsewhere.baseUrl}/api/status/quote-1` });
    expect(await statusOf(providers.client(base))).toMatchObject({
      kind: 'unavailable',
      reason: 'status 302',
      httpStatus: 302,
    });
    expect(elsewhere.seen).toEqual([]);
  });

  it('sends a quote request once, whatever becomes of it', async () => {
    let requests = 0;
    const base = await providers.raw((socket) => {
      requests += 1;
      socket.resetAndDestroy();
    });
    const made = providers.client(base).createQuote(QUOTE_REQUEST);
    await expect(made).rejects.toEqual(new ProviderUnavailable('connection closed'));
    expect(requests).toBe(1);
  });

  it('refuses at once a key that no header can carry, without showing it', () => {
    expect(startWithBrokenKey).toThrow(/x-api-key/);
    expect(startWithBrokenKey).not.toThrow(/secret/);
  });
});
