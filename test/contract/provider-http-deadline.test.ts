import { afterEach, describe, expect, it } from '@jest/globals';

import { ProviderUnavailable } from '../../src/ports/payment-provider.ts';
import { head, ScriptedProviders, unavailable } from '../support/scripted-provider.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const providers = new ScriptedProviders();
afterEach(() => providers.stop());

describe('the http provider, when the answer takes too long', () => {
  it('gives up on a provider that accepts and says nothing', async () => {
    expect(await providers.answerTo(() => undefined)).toEqual(unavailable('timeout'));
  });

  it('gives up on a body that comes byte by byte, since the deadline is for the whole request', async () => {
    const answer = await providers.answerTo((socket) => {
      socket.write(head('200 OK', 'content-length: 1000'));
      const timer = setInterval(() => socket.write(' '), 20);
      socket.once('close', () => clearInterval(timer));
    });
    expect(answer).toEqual(unavailable('timeout'));
  });

  it('gives up on a header that never ends', async () => {
    const answer = await providers.answerTo((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x: y\r\n'), 20);
      socket.once('close', () => clearInterval(timer));
    });
    expect(answer).toEqual(unavailable('timeout'));
  });

  it('hangs up, so that the provider need not go on', async () => {
    let isClosed = false;
    await providers.answerTo((socket) => socket.once('close', () => (isClosed = true)));
    await waitFor(() => isClosed);
    expect(isClosed).toBe(true);
  });

  it('never sends a request that was given up while it waited for its connection', async () => {
    const quotes: string[] = [];
    const base = await providers.http((request, response) => {
      quotes.push(request.url ?? '');
      response.end('{}');
    });
    const provider = providers.client(base, { timeoutMs: 1 });
    const blocked = provider.readChains().catch((error: unknown) => error);
    const until = performance.now() + 30;
    while (performance.now() < until); // the deadline passes before the connection can be made
    expect(await blocked).toEqual(new ProviderUnavailable('timeout'));
    await provider.close();
    expect(quotes).toEqual([]);
  });

  it('honours the status and Retry-After of an error whose body never comes', async () => {
    const answer = await providers.answerTo((socket) =>
      socket.write(head('503 Service Unavailable', 'retry-after: 7', 'content-length: 10')),
    );
    expect(answer).toEqual(unavailable('status 503', 503, 7_000));
  });
});
