import { afterEach, describe, expect, it } from '@jest/globals';

import { unavailable } from '../../src/providers/connection/read-response.ts';
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

  // test/unit/relay-reading.test.ts has the meaning of each body.
  it.each<[number, string, Record<string, string>, RelayAnswer]>([
    [
      409,
      body({ message: `your ${KEY} is`, errorCode: 'AMOUNT_TOO_LOW' }),
      {},
      { kind: 'error', httpStatus: 409, code: 'AMOUNT_TOO_LOW', message: 'your *** is' },
    ],
    [401, '<html>no</html>', {}, { kind: 'credentials' }],
    [403, '', {}, { kind: 'credentials' }],
    [429, '<html>', { 'retry-after': '7' }, unavailable('status 429', 429, 7_000)],
    [
      503,
      body({ errorCode: 'SERVICE_UNAVAILABLE' }),
      { 'retry-after': '2' },
      unavailable('SERVICE_UNAVAILABLE', 503, 2_000),
    ],
    [404, '<html>Not Found</html>', {}, unavailable('status 404', 404)],
    [200, '<html>Maintenance</html>', {}, unavailable('unreadable answer', 200)],
  ])('that answers %i %s', async (status, text, headers, answer) => {
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
});
