import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';

describe('the HTTP receiver', () => {
  let receiver: HttpReceiver;

  beforeEach(async () => {
    receiver = await HttpReceiver.start();
  });

  afterEach(async () => {
    await receiver.close();
  });

  function post(path: string, body: string): Promise<Response> {
    return fetch(`${receiver.url}${path}`, { method: 'POST', body, headers: { 'webhook-id': 'e1' } });
  }

  it('keeps the exact bytes and headers of each request', async () => {
    const response = await post('/hook?a=1', '{"amount": "0.10"}');
    expect(response.status).toBe(204);
    const request = await receiver.waitFor(({ path }) => path === '/hook?a=1');
    expect(request.body).toEqual(Buffer.from('{"amount": "0.10"}'));
    expect(request).toMatchObject({
      method: 'POST',
      json: { amount: '0.10' },
      headers: { 'webhook-id': 'e1' },
    });
  });

  it('answers as scripted, request by request', async () => {
    receiver.answer(({ text }) =>
      text === 'bad' ? { status: 503, headers: { 'retry-after': '2' }, body: 'busy' } : { delayMs: 30 },
    );
    const bad = await post('/', 'bad');
    expect([bad.status, bad.headers.get('retry-after'), await bad.text()]).toEqual([503, '2', 'busy']);
    const startedAt = performance.now();
    expect((await post('/', 'good')).status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(28);
  });

  it('resets and hangs on demand', async () => {
    receiver.answer(() => 'reset');
    await expect(post('/', '')).rejects.toThrow('fetch failed');
    receiver.answer(() => 'hang');
    const hanging = fetch(receiver.url, { signal: AbortSignal.timeout(100) });
    await expect(hanging).rejects.toThrow(/timeout/);
    expect(await receiver.waitForCount(2)).toHaveLength(2);
  });

  it('refuses connections while closed and listens on the same port again', async () => {
    await receiver.close();
    await expect(post('/', '')).rejects.toThrow('fetch failed');
    await receiver.reopen();
    expect((await post('/', '')).status).toBe(204);
  });

  it('names what it waited for in vain', async () => {
    await expect(receiver.waitFor(() => false, 30)).rejects.toThrow(/in vain for a fitting request/);
  });
});
