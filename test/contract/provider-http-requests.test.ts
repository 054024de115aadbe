import type { ServerResponse } from 'node:http';

import { afterEach, describe, expect, it } from '@jest/globals';

import { ProviderUnavailable, type StatusAnswer } from '../../src/ports/payment-provider.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import {
  QUOTE_REQUEST,
  reportOf,
  ScriptedProviders,
  statusOf,
  unavailable,
} from '../support/scripted-provider.ts';

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

  it.each(['', '..', 'a/b', 'a?b', '\ud800', 'x'.repeat(129)])(
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

  it('states its limits', () => {
    const { limits, name } = providers.client('http://127.0.0.1:1', { maxConcurrency: 7, maxRpm: 90 });
    expect({ name, limits }).toEqual({
      name: 'http',
      limits: { maxConcurrency: 7, batchSize: 1, timeoutMs: 2_000, maxRpm: 90 },
    });
  });

  it('refuses at once a key that no header can carry, without showing it', () => {
    expect(startWithBrokenKey).toThrow(/x-api-key/);
    expect(startWithBrokenKey).not.toThrow(/secret/);
  });
});

/** Holds every request until the test lets it go, and counts those held at once. */
async function holding(): Promise<{ baseUrl: string; held: ServerResponse[]; most: () => number }> {
  const held: ServerResponse[] = [];
  let most = 0;
  const baseUrl = await providers.http((_request, response) => {
    held.push(response);
    most = Math.max(most, held.length);
  });
  return { baseUrl, held, most: () => most };
}

const letGo = (held: ServerResponse[]): void => void held.shift()?.end(reportOf());

describe('how the http provider asks about many payments', () => {
  const ids = Array.from({ length: 60 }, (_, index) => `quote-${index}`);

  it('answers each id exactly once, over as many connections as may be in flight, reused', async () => {
    const base = await providers.http((request, response) =>
      setTimeout(() => response.end(reportOf(request.url?.split('/').at(-1))), 2),
    );
    const provider = providers.client(base, { maxConcurrency: 4 });
    const answered = new Map<string, string[]>();
    const onAnswer = (id: string, answer: StatusAnswer): void => {
      const about = answer.kind === 'report' ? String(answer.report.quoteId) : answer.kind;
      answered.set(id, [...(answered.get(id) ?? []), about]);
    };
    await provider.readStatuses([...ids, ...ids.slice(0, 5)], onAnswer);
    await provider.readStatuses([], onAnswer);
    expect([...answered]).toHaveLength(60);
    for (const [id, about] of answered) expect(about).toEqual([id]);
    expect(providers.connections).toBeLessThanOrEqual(4);
  });

  it('holds its bound over all calls together', async () => {
    const { baseUrl, held, most } = await holding();
    const provider = providers.client(baseUrl, { maxConcurrency: 3 });
    const answers: string[] = [];
    const count = (id: string): void => void answers.push(id);
    const calls = [ids.slice(0, 8), ids.slice(8, 16), ids.slice(16, 17)].map((some) =>
      provider.readStatuses(some, count),
    );
    while (answers.length < 17) {
      await waitFor(() => held.length === Math.min(3, 17 - answers.length));
      const before = answers.length;
      letGo(held);
      await waitFor(() => answers.length > before);
    }
    await Promise.all(calls);
    expect(most()).toBe(3);
  });

  it('lets whoever waits for one answer go before the many', async () => {
    const { baseUrl, held } = await holding();
    const provider = providers.client(baseUrl, { maxConcurrency: 1 });
    const answered: string[] = [];
    const calls = [['first'], ['many-1', 'many-2'], ['urgent']].map((some) =>
      provider.readStatuses(some, (id) => answered.push(id)),
    );
    for (let answers = 1; answers <= 4; answers += 1) {
      await waitFor(() => held.length === 1);
      letGo(held);
      await waitFor(() => answered.length === answers);
    }
    await Promise.all(calls);
    expect(answered).toEqual(['first', 'urgent', 'many-1', 'many-2']);
  });

  it('counts the time-out of a request from when its turn comes', async () => {
    const base = await providers.http((_request, response) =>
      setTimeout(() => response.end(reportOf()), 100),
    );
    const provider = providers.client(base, { maxConcurrency: 1, timeoutMs: 600 });
    const answers = await Promise.all(ids.slice(0, 8).map((id) => statusOf(provider, id)));
    expect(answers.map(({ kind }) => kind)).toEqual(Array(8).fill('report'));
  });
});

describe('how the http provider closes', () => {
  it('lets what is in flight end, then takes no more', async () => {
    const base = await providers.http((_request, response) => setTimeout(() => response.end(reportOf()), 50));
    const provider = providers.client(base);
    const inFlight = statusOf(provider);
    await waitFor(() => providers.connections === 1);
    await provider.onApplicationShutdown();
    expect(await inFlight).toMatchObject({ kind: 'report' });
    expect(await statusOf(provider)).toEqual(unavailable('stopping'));
    await provider.close();
  });

  it('does not wait for a provider that hangs longer than for its deadline', async () => {
    const provider = providers.client(await providers.raw(() => undefined), { timeoutMs: 100 });
    const inFlight = statusOf(provider);
    await waitFor(() => providers.connections === 1);
    const startedAt = performance.now();
    await provider.close();
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(await inFlight).toMatchObject({ kind: 'unavailable' });
  });
});
