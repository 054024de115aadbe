import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { API_KEY } from '../support/app-process.ts';
import type { SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { startTcpReceiver, type TcpReceiver } from '../support/tcp-receiver.ts';

const MAX = 10;
const TIMEOUT_MS = 2_000;
const KEYS = { shop: 'shop-secret-0123456789abcdef0123', office: 'office-secret-0123456789abcdef01' };

let stage: Stage;
let app: SharedService;
let silent: TcpReceiver;
let underWay = 0;

beforeAll(async () => {
  silent = await startTcpReceiver((socket) => {
    underWay += 1;
    // The receiver must read to see that the connection was closed.
    socket.resume();
    socket.on('close', () => (underWay -= 1));
  });
  stage = await Stage.open();
  const env = stage.env({
    WEBHOOK_MAX_ENDPOINTS: String(MAX),
    WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS),
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
    API_KEYS: `test:${API_KEY},shop:${KEYS.shop},office:${KEYS.office}`,
  });
  app = await stage.startWarm(env);
});
afterAll(() => silent.close());

function post(path: string, key: string, body: object = {}): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return fetch(`${app.url}${path}`, init);
}

const add = (): Promise<Response> =>
  post('/api/webhook-endpoints', KEYS.shop, { url: `http://127.0.0.1:${silent.port}/` });

async function idsOf(): Promise<string[]> {
  const answer = await fetch(`${app.url}/api/webhook-endpoints`, {
    headers: { 'x-api-key': KEYS.shop },
  });
  const { data } = (await jsonOf(answer, 200)) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

describe('webhook endpoints', () => {
  it('are as many as allowed, and not one more, however many are added at once', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => add()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(MAX);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(50 - MAX);
    expect(await refused[0]?.json()).toMatchObject({ code: 'too_many_endpoints', status: 409 });
    expect(await idsOf()).toHaveLength(MAX);
  });
});

describe('tests of an endpoint that does not answer', () => {
  const testOf = async (key: string): Promise<Response> =>
    post(`/api/webhook-endpoints/${(await idsOf())[0] ?? ''}/test`, key);

  it('are five at a time for each key, and a slot is free again when one has ended', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => testOf(KEYS.shop)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(7);
    expect(refused[0]?.headers.get('retry-after')).toBe('5');
    expect(await refused[0]?.json()).toMatchObject({ code: 'too_many_tests' });
    for (const answer of answers.filter(({ status }) => status !== 429))
      expect(await jsonOf(answer, 200)).toMatchObject({ delivered: false, failure: 'timeout' });
    expect((await testOf(KEYS.shop)).status).toBe(200);
  });

  it('hold their slots when their clients leave, until they end by themselves', async () => {
    const [id = ''] = await idsOf();
    await waitFor(() => underWay === 0);
    const leaving = new AbortController();
    const path = `${app.url}/api/webhook-endpoints/${id}/test`;
    const init = { method: 'POST', headers: { 'x-api-key': KEYS.shop }, signal: leaving.signal };
    const left = Array.from({ length: 5 }, () => fetch(path, init).catch(() => null));
    await waitFor(() => underWay === 5);
    leaving.abort();
    await Promise.all(left);
    expect((await testOf(KEYS.shop)).status).toBe(429);
    await waitFor(async () => (await testOf(KEYS.shop)).status === 200, { timeoutMs: 4 * TIMEOUT_MS });
  });
});
