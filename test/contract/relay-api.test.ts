import { afterEach, describe, expect, it } from '@jest/globals';

import { RelayApi, type RelayAnswer } from '../../src/providers/relay/relay-api.ts';
import { HttpReceiver, type Script, type ScriptedAnswer } from '../../tools/testkit/http-receiver.ts';

const KEY = 'relay-key-1';
const receivers: HttpReceiver[] = [];
const apis: RelayApi[] = [];

afterEach(async () => {
  await Promise.all(apis.splice(0).map((api) => api.close(0)));
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

async function serve(script: Script, path = ''): Promise<{ api: RelayApi; receiver: HttpReceiver }> {
  const receiver = await HttpReceiver.start(script);
  receivers.push(receiver);
  const baseUrl = receiver.url + path;
  const api = new RelayApi({ baseUrl, apiKey: KEY, timeoutMs: 1_000, maxConcurrency: 2 });
  apis.push(api);
  return { api, receiver };
}

const answerTo = async (answer: ScriptedAnswer): Promise<RelayAnswer> => {
  const { api } = await serve(() => answer);
  return api.get('/chains');
};
const body = (value: unknown): string => JSON.stringify(value);
const unavailable = (reason: string, httpStatus: number | null, retryAfterMs: number | null = null) => ({
  kind: 'unavailable',
  reason,
  httpStatus,
  retryAfterMs,
});

describe("Relay's API", () => {
  it('is asked with the key, under the path of its base', async () => {
    const { api, receiver } = await serve(() => ({ body: '{"chains":[]}' }), '/relay/');
    expect(await api.get('/chains?a=1')).toEqual({ kind: 'json', value: { chains: [] } });
    expect(await api.post('/quote/v2', { amount: '1' })).toEqual({ kind: 'json', value: { chains: [] } });
    const [get, post] = receiver.requests;
    expect([get?.method, get?.path, get?.headers['x-api-key']]).toEqual(['GET', '/relay/chains?a=1', KEY]);
    expect([post?.method, post?.path, post?.headers['x-api-key'], post?.json]).toEqual([
      'POST',
      '/relay/quote/v2',
      KEY,
      { amount: '1' },
    ]);
    expect(post?.headers['content-type']).toBe('application/json');
    expect(get?.headers['user-agent']).toMatch(/^Paybell\//);
  });

  it('keeps amounts that no double can hold', async () => {
    const answer = await answerTo({ body: '{"amount":"123456789012345678901234567890"}' });
    expect(answer).toEqual({ kind: 'json', value: { amount: '123456789012345678901234567890' } });
  });

  it.each([
    [400, { message: 'too low', errorCode: 'AMOUNT_TOO_LOW' }, 'AMOUNT_TOO_LOW', 'too low'],
    [400, { message: 'both', errorCode: 'ONE', code: 'TWO' }, 'ONE', 'both'],
    [404, { message: 'gone', code: 'NOT_FOUND' }, 'NOT_FOUND', 'gone'],
    [400, { error: 'no price' }, null, 'no price'],
    [
      400,
      { statusCode: 400, code: 'FST_ERR_VALIDATION', error: 'Bad Request', message: 'body/amount' },
      'FST_ERR_VALIDATION',
      'body/amount',
    ],
    [409, { message: `your ${KEY} \u202e is`, errorCode: 'A B' }, null, 'your ***   is'],
    [400, [1], null, ''],
  ])('reports a %i %j as an error', async (httpStatus, value, code, message) => {
    expect(await answerTo({ status: httpStatus, body: body(value) })).toEqual({
      kind: 'error',
      httpStatus,
      code,
      message,
    });
  });

  it.each([
    [401, body({ message: 'Please provide an api key', errorCode: 'UNAUTHORIZED_QUOTE' })],
    [401, '<html>no</html>'],
    [403, ''],
    [400, body({ message: 'no', errorCode: 'UNAUTHORIZED' })],
    [
      400,
      body({
        statusCode: 400,
        code: 'FST_ERR_VALIDATION',
        message: "headers must have required property 'x-api-key'",
      }),
    ],
  ])('reports a %i %s as a matter of the key', async (status, text) => {
    expect(await answerTo({ status, body: text })).toEqual({ kind: 'credentials' });
  });

  it.each([
    [429, body({ message: 'x' }), { 'retry-after': '7' }, unavailable('status 429', 429, 7_000)],
    [429, '<html>', { 'retry-after': '7' }, unavailable('status 429', 429, 7_000)],
    [
      503,
      body({ errorCode: 'SERVICE_UNAVAILABLE' }),
      { 'retry-after': '2' },
      unavailable('SERVICE_UNAVAILABLE', 503, 2_000),
    ],
    [400, body({ errorCode: 'PRICE_FETCH_FAILED' }), {}, unavailable('PRICE_FETCH_FAILED', 400)],
    [500, body({ errorCode: 'UNKNOWN_ERROR' }), {}, unavailable('status 500', 500)],
    [404, '<html>Not Found</html>', {}, unavailable('status 404', 404)],
    [200, '<html>Maintenance</html>', {}, unavailable('unreadable answer', 200)],
  ])('reports a %i %s as a time to wait', async (status, text, headers, answer) => {
    expect(await answerTo({ status, body: text, headers })).toEqual(answer);
  });

  it('reads no more than the limit', async () => {
    const { api } = await serve(() => ({ body: body('x'.repeat(2_000)) }));
    expect(await api.get('/chains', 1_000)).toEqual(unavailable('answer too large', 200));
    expect(await api.post('/chains', {}, 1_000)).toEqual(unavailable('answer too large', 200));
    expect(await api.get('/chains', 3_000)).toMatchObject({ kind: 'json' });
  });

  it('reads a list of chains of 300 KiB by default', async () => {
    const { api } = await serve(() => ({ body: body({ chains: ['x'.repeat(300 * 1024)] }) }));
    expect(await api.get('/chains')).toMatchObject({ kind: 'json' });
  });

  it('lets whoever waits for a quote go before what polls', async () => {
    const { api, receiver } = await serve(() => ({ body: '{}', delayMs: 20 }));
    const polls = Array.from({ length: 4 }, (_none, at) => api.get(`/requests/v3?at=${at}`));
    await Promise.all([...polls, api.post('/quote/v2', {})]);
    const order = receiver.requests.map(({ method }) => method);
    expect(order.slice(0, 2)).toEqual(['GET', 'GET']);
    expect(order.indexOf('POST')).toBeLessThan(4);
    expect(order).toHaveLength(5);
  });

  it('never has more requests in flight than it may', async () => {
    let inFlight = 0;
    let most = 0;
    const { api } = await serve(() => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      setTimeout(() => (inFlight -= 1), 20);
      return { body: '{}', delayMs: 20 };
    });
    await Promise.all(Array.from({ length: 12 }, () => api.get('/chains')));
    expect(most).toBeLessThanOrEqual(2);
  });

  it('is answered as unavailable after it was closed', async () => {
    const { api } = await serve(() => ({ body: '{}' }));
    await api.close();
    expect(await api.get('/chains')).toEqual(unavailable('stopping', null));
  });
});
