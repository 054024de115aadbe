import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { quoteRequest } from '../../tools/testkit/provider-objects.ts';
import { ProviderStub } from '../../tools/testkit/provider-stub.ts';

describe('the provider stub', () => {
  let provider: ProviderStub;

  beforeEach(async () => {
    provider = await ProviderStub.start();
  });

  afterEach(async () => {
    await provider.close();
  });

  function call(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { 'x-api-key': provider.apiKey, 'content-type': 'application/json' };
    return fetch(`${provider.url}${path}`, { headers, ...init });
  }

  it('makes quotes whose status the test moves', async () => {
    const created = await call('/api/quote', { method: 'POST', body: JSON.stringify(quoteRequest()) });
    const { quoteId } = (await created.json()) as { quoteId: string };
    provider.setStatus(quoteId, { status: 'EXECUTING' });
    expect(await (await call(`/api/status/${quoteId}`)).json()).toMatchObject({
      quoteId,
      status: 'EXECUTING',
    });
    expect([provider.calls.count('/api/quote'), provider.calls.polls(quoteId).length]).toEqual([1, 1]);
    expect((await call('/api/status/other')).status).toBe(404);
  });

  it('refuses a wrong key and takes both ways of sending a good one', async () => {
    expect((await call('/api/chains', { headers: { 'x-api-key': 'wrong' } })).status).toBe(401);
    expect((await call('/api/chains', { headers: {} })).status).toBe(401);
    expect(
      (await call('/api/chains', { headers: { authorization: `Bearer ${provider.apiKey}` } })).status,
    ).toBe(200);
  });

  it('fails for all or for one quote until it recovers', async () => {
    const [one, other] = [provider.addQuote(), provider.addQuote({ status: 'COMPLETED' })];
    provider.fail({ status: 500, body: '<html>' }, one);
    expect((await call(`/api/status/${one}`)).status).toBe(500);
    expect((await call(`/api/status/${other}`)).status).toBe(200);
    provider.fail({ status: 429 });
    expect((await call('/api/chains')).status).toBe(429);
    provider.recover();
    expect((await call(`/api/status/${one}`)).status).toBe(200);
    await provider.down();
    await expect(call('/api/chains')).rejects.toThrow('fetch failed');
    await provider.up();
    expect((await call('/api/chains')).status).toBe(200);
  });
});
