import type { ServerResponse } from 'node:http';

import { afterEach, describe, expect, it } from '@jest/globals';

import type { StatusAnswer } from '../../src/ports/payment-provider.ts';
import { reportOf, ScriptedProviders, statusOf, unavailable } from '../support/scripted-provider.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const providers = new ScriptedProviders();
afterEach(() => providers.stop());

/** Holds every request until it is let go, and knows how many it held at once. */
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
