import { beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';

import type { ReceivedRequest } from '../../tools/testkit/http-receiver.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import type { PublishedEvent } from '../support/published-events.ts';
import type { SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';

type Json = Record<string, unknown>;
interface Operational {
  readonly id: string;
  readonly type: string;
  readonly data: Json & { readonly code: string };
}

const ATTENTION = ['attention.opened', 'attention.closed'];
const SOON = { timeoutMs: 40_000 };

let stage: Stage;
let apps: readonly [SharedService, SharedService];
let secret: string;
let failing: string;
/** Whether the shop takes events of payments. */
let isWell = false;
/** How many requests the pager has refused. */
let refusals = 0;

async function endpoint(path: string, eventTypes?: readonly string[]): Promise<Json> {
  const body = { url: `${stage.shop.url}${path}`, description: path, eventTypes };
  return jsonOf(await apps[0].fetch('/api/webhook-endpoints', { method: 'POST', body }), 201);
}

function got(path: string): (Operational & { readonly request: ReceivedRequest })[] {
  return stage.shop.requests
    .filter((request) => request.path === path && (request.json as Operational).type.startsWith('attention.'))
    .map((request) => ({ ...(request.json as Operational), request }));
}

function words(path: string): string[] {
  const unique = new Map(got(path).map((event) => [event.id, event]));
  return [...unique.values()].map(({ type, data }) => `${type.replace('attention.', '')} ${data.code}`);
}

beforeAll(async () => {
  stage = await Stage.open();
  // No payment moves here.
  const env = { PUBLIC_URL: 'https://pay.shop.example', POLL_INTERVAL_MS: '5000' };
  apps = [await stage.startWarm(env), await stage.startWarm(env)];
  stage.shop.answer(({ path, json }) => {
    const { type } = json as PublishedEvent;
    if (path === '/pager' && refusals < 1) {
      refusals += 1;
      return { status: 503 };
    }
    return path === '/shop' && type.startsWith('payment.') && !isWell ? { status: 500 } : { status: 204 };
  });
  secret = String((await endpoint('/pager', ATTENTION))['secret']);
  await endpoint('/books');
  failing = String((await endpoint('/shop', ['payment.created', ...ATTENTION]))['id']);
});

describe('operational events', () => {
  it('tell an endpoint that asks for them what needs a person, signed and retried', async () => {
    await stage.quotes(apps[0], 4);
    // Gives all deliveries one age, so that they become untold at the same instant.
    await stage.database.query(`UPDATE delivery SET created_at = now() - interval '15 seconds'`);
    await waitFor(() => words('/pager').includes('opened endpoints_failing'), SOON);
    const opened = got('/pager').filter(({ data }) => data.code === 'endpoints_failing');
    const { id, data, request } = opened.at(-1) as Operational & { request: ReceivedRequest };
    expect(new Webhook(secret).verify(request.text, request.headers as Record<string, string>)).toMatchObject(
      {
        type: 'attention.opened',
      },
    );
    expect(request.headers['webhook-id']).toBe(id);
    expect(data).toEqual({
      code: 'endpoints_failing',
      severity: 'bad',
      link: 'https://pay.shop.example/dashboard',
      count: 1,
      isMore: false,
      since: expect.any(String),
      detail: expect.stringContaining('fails and gets only retries or probes'),
      sums: [],
    });
    const [first] = got('/pager');
    await waitFor(() => got('/pager').filter((event) => event.id === first?.id).length === 2, SOON);
    expect(refusals).toBe(1);
  });

  it('say how many payments were not told, and what they are worth', async () => {
    await waitFor(() => words('/pager').includes('opened undelivered'), { timeoutMs: 60_000 });
    const { data } = got('/pager').find((event) => event.data.code === 'undelivered') as Operational;
    expect(data).toMatchObject({ count: 4, isMore: false });
    expect(data['sums']).toEqual([expect.objectContaining({ amount: expect.any(String), payments: 4 })]);
    expect(data['detail']).toContain('4 at /shop');
  });

  it('never tell an endpoint about itself, nor one that does not ask', async () => {
    const other = String((await endpoint('/other'))['id']);
    await apps[1].fetch(`/api/webhook-endpoints/${other}`, { method: 'PATCH', body: { enabled: false } });
    await waitFor(() => words('/shop').includes('opened endpoints_disabled'), SOON);
    expect(words('/shop')).toEqual(['opened endpoints_disabled']);
    expect(got('/books')).toEqual([]);
    expect(got('/other')).toEqual([]);
  });

  it('tell once when it is over, whichever replica sees it first', async () => {
    isWell = true;
    const path = `/api/webhook-endpoints/${failing}/test`;
    await apps[1].fetch(path, { method: 'POST', body: { type: 'payment.created' } });
    await waitFor(() => words('/pager').includes('closed undelivered'), { timeoutMs: 60_000 });
    await waitFor(() => words('/pager').includes('closed endpoints_failing'), SOON);
    // A reading may show that the endpoint takes some events again before it takes all.
    const isFirm = (word: string): boolean => !word.endsWith(' endpoints_refusing');
    expect(words('/pager').filter(isFirm).toSorted()).toEqual([
      'closed endpoints_failing',
      'closed undelivered',
      'opened endpoints_disabled',
      'opened endpoints_failing',
      'opened undelivered',
    ]);
    const { data } = got('/pager').find(({ type }) => type === 'attention.closed') as Operational;
    expect(data).toMatchObject({ count: 0, sums: [], since: expect.any(String) });
  });

  it('are in no log of events', async () => {
    const { data } = await jsonOf(await apps[0].fetch('/api/events?limit=100'), 200);
    expect((data as PublishedEvent[]).every(({ type }) => type.startsWith('payment.'))).toBe(true);
  });
});
