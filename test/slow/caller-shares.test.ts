import { setTimeout as sleep } from 'node:timers/promises';

import { beforeAll, describe, expect, it } from '@jest/globals';

import type { AppProcess } from '../support/app-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';

/** Callers get 2.4 requests a second of this limit; a fair half is more than the calm key needs. */
const MAX_RPM = 300;
const OPEN = 5;
const FLOOD_MS = 20_000;
const KEYS = { flood: 'flood-secret-0123456789abcdef012', calm: 'calm-secret-0123456789abcdef0123' };
const API_KEYS = `flood:${KEYS.flood},calm:${KEYS.calm}`;

interface Answer {
  readonly status: number;
  readonly tookMs: number;
  readonly retryAfter: number;
}

async function ask(app: AppProcess, key: string, path: string, body?: object): Promise<Answer> {
  const startedAt = performance.now();
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${app.url}${path}`, { headers, ...init });
  await response.text();
  const tookMs = performance.now() - startedAt;
  return { status: response.status, tookMs, retryAfter: Number(response.headers.get('retry-after')) };
}

/** The results of several clients of one key that send requests without a break. */
async function flood(clients: number, floodMs: number, next: () => Promise<Answer>): Promise<Answer[]> {
  const untilAt = performance.now() + floodMs;
  const answers: Answer[] = [];
  const client = async (): Promise<void> => {
    while (performance.now() < untilAt) {
      answers.push(await next());
      await sleep(50);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return answers;
}

async function everySecond(floodMs: number, next: () => Promise<Answer>): Promise<Answer[]> {
  const asked: Promise<Answer>[] = [];
  for (let second = 0; second < floodMs / 1_000; second += 1) {
    asked.push(next());
    await sleep(1_000);
  }
  return Promise.all(asked);
}

/** Replicas share no lines of keys. */
describe('a key that floods a replica while requests are scarce', () => {
  let stage: Stage;
  let app: AppProcess;
  let open: string[];

  beforeAll(async () => {
    stage = await Stage.open();
    const more = { PROVIDER_MAX_RPM: String(MAX_RPM), POLL_INTERVAL_MS: '3000', API_KEYS };
    app = await stage.start(more);
    const headers = { 'x-api-key': KEYS.calm };
    open = Array.from({ length: OPEN }, () => stage.provider.addQuote());
    for (const quoteId of open) {
      const body = { quoteId };
      await jsonOf(await app.fetch('/api/payments', { method: 'POST', body, headers }), 201);
    }
  });

  it.each([
    ['unknown ids', (id: number) => ({ path: `/api/status/nobody-knows-${id}` })],
    ['refreshes', (id: number) => ({ path: `/api/payments/${open[id % OPEN] ?? ''}/refresh`, body: {} })],
  ])(
    'by %s costs no other key, and no poll',
    async (_, request) => {
      let id = 0;
      const floodOne = (): Promise<Answer> => {
        id += 1;
        const { path, body }: { path: string; body?: object } = request(id);
        return ask(app, KEYS.flood, path, body);
      };
      const calmOne = (): Promise<Answer> => ask(app, KEYS.calm, `/api/status/${stage.provider.addQuote()}`);
      const startedAt = Date.now();
      const [flooded, calm] = await Promise.all([
        flood(20, FLOOD_MS, floodOne),
        everySecond(FLOOD_MS, calmOne),
      ]);
      const served = calm.filter(({ status }) => status === 200);
      expect(served.length).toBeGreaterThanOrEqual(0.95 * calm.length);
      expect(Math.max(...served.map(({ tookMs }) => tookMs))).toBeLessThan(5_000);
      expect(flooded.length).toBeGreaterThan(200);
      for (const { status, retryAfter } of flooded)
        if (status === 503) expect(retryAfter).toBeGreaterThanOrEqual(1);
      for (const quoteId of open) {
        const polls = stage.provider.calls.polls(quoteId).filter((at) => at > startedAt);
        expect(polls.length).toBeGreaterThanOrEqual(FLOOD_MS / 3_000 / 2);
      }
    },
    60_000,
  );
});
