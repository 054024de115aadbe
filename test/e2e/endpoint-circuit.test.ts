import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { arrivalsAt, firstArrivals, storyOf, waitForStories } from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const PAYMENTS = 30;
const TYPES = ['payment.created', 'payment.completed'];

let stage: Stage;
let app: SharedService;
let second: SharedService;
let other: HttpReceiver;

beforeAll(async () => {
  stage = await Stage.open();
  other = await HttpReceiver.start();
  app = await stage.startWarm();
  second = await stage.startWarm();
  await stage.addShop(app);
  await stage.addShop(app, `${other.url}/other-shop`);
});

/** Makes the probe due, for which a test would wait 30 s. */
async function letTimePass(): Promise<void> {
  await stage.database.query(`UPDATE endpoint_circuit SET probe_at = now()`);
}

function logged(words: string): string[] {
  return [...app.lines, ...second.lines].filter((line) => line.includes(words));
}

describe('an endpoint that fails ten times in a row', () => {
  it('is only probed, by one replica; the first success lets everything out in order, gradually', async () => {
    stage.shop.answer(() => ({ status: 503 }));
    const quoteIds = await stage.quotes(app, PAYMENTS);
    await waitFor(() => logged('ten times in a row').length > 0, { what: 'the circuit to open' });
    expect(logged('ten times in a row')).toHaveLength(1);

    // Once the other shop has all later events, every attempt that was in flight when the circuit opened has arrived.
    stage.say(quoteIds, 'COMPLETED');
    await waitForStories(() => arrivalsAt(other), quoteIds, 2);
    const before = stage.shop.requests.length;
    await letTimePass();
    await waitFor(() => stage.shop.requests.length > before, { what: 'a probe' });
    const later = await stage.quotes(app, 2);
    await waitForStories(() => arrivalsAt(other), later, 1);
    expect(stage.shop.requests.length).toBe(before + 1);

    let isAnswered = false;
    let untilAnswered = 0;
    stage.shop.answer(() => {
      if (!isAnswered) untilAnswered += 1;
      setTimeout(() => (isAnswered = true), 100);
      return { status: 204, delayMs: 100 };
    });
    await letTimePass();
    await waitFor(() => logged('answers again').length > 0, { what: 'the endpoint to recover' });
    // The later deliveries come as soon as the first answer has come.
    expect(untilAnswered).toBe(1);
    await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 2, 30_000);
    expect(logged('answers again')).toHaveLength(1);
    expect(firstArrivals(arrivalsAt(stage.shop).filter(({ subject }) => quoteIds.includes(subject)))).toEqual(
      storyOf(quoteIds, TYPES),
    );
    await other.close();
  }, 90_000);
});

describe('an endpoint whose circuit is open', () => {
  /** The id of the shop's endpoint, after the deletion of the other one, which is gone. */
  const endpointId = async (): Promise<string> => {
    const { data } = await jsonOf(await app.fetch('/api/webhook-endpoints'), 200);
    const endpoints = data as { id: string; url: string }[];
    for (const { id, url } of endpoints)
      if (!url.endsWith('/paybell')) await app.fetch(`/api/webhook-endpoints/${id}`, { method: 'DELETE' });
    return endpoints.find(({ url }) => url.endsWith('/paybell'))?.id ?? '';
  };
  const view = async (id: string): Promise<Record<string, unknown>> =>
    jsonOf(await app.fetch(`/api/webhook-endpoints/${id}`), 200);
  const test = async (id: string): Promise<Record<string, unknown>> =>
    jsonOf(await second.fetch(`/api/webhook-endpoints/${id}/test`, { method: 'POST' }), 200);
  const deliveries = async (): Promise<Record<string, unknown>> => {
    const { checks } = await jsonOf(await fetch(`${second.url}/health/ready`), 200);
    return (checks as { deliveries: Record<string, unknown> }).deliveries;
  };

  it('shows what waits for it in health and in its view, and is let in by a test that it takes', async () => {
    const id = await endpointId();
    await jsonOf(
      await app.fetch(`/api/webhook-endpoints/${id}`, { method: 'PATCH', body: { description: 'shop EU' } }),
      200,
    );
    await waitFor(async () => (await view(id))['pending'] === 0, { what: 'what was before' });
    const before = await view(id);
    expect(before).toMatchObject({ circuit: 'closed', oldestPendingAt: null });
    expect(await deliveries()).toMatchObject({ status: 'ok' });

    stage.shop.answer(() => ({ status: 500 }));
    const quoteIds: string[] = [];
    for (let index = 0; index < 12; index += 1)
      quoteIds.push(await stage.quote(app, { orderId: `A-${index}` }));
    await waitFor(async () => (await view(id))['circuit'] === 'open', { what: 'the circuit to open' });
    // A delivery that was leased before might be sent late, and close the circuit instead of the test.
    const underWay = () => stage.database.query(`SELECT FROM delivery WHERE leased`);
    await waitFor(async () => (await underWay()).length === 0, { what: 'the last attempts to end' });
    const open = await view(id);
    expect(open).toMatchObject({ pending: 12, lastDeliveredAt: before['lastDeliveredAt'] });
    const oldestAt = String(open['oldestPendingAt']);
    expect(Date.parse(oldestAt)).toBeGreaterThan(Date.parse(String(before['lastDeliveredAt'])));
    const probeInMs = Date.parse(String(open['nextProbeAt'])) - Date.parse(String(open['failingSince']));
    expect(probeInMs).toBeGreaterThanOrEqual(30_000);
    expect(await deliveries()).toMatchObject({
      status: 'degraded',
      detail: `1 endpoint with an open circuit, 12 events wait, the oldest since ${oldestAt}`,
    });
    const line = logged(`of ${quoteIds[0]}`)[0] ?? '';
    expect(JSON.parse(line)).toMatchObject({
      msg: expect.stringContaining(`of ${quoteIds[0]} (order A-0) to ${id} ("shop EU") failed (status 500)`),
      orderId: 'A-0',
      description: 'shop EU',
      endpointId: id,
    });

    expect(await test(id)).toMatchObject({ delivered: false });
    expect(await view(id)).toMatchObject({ circuit: 'open', failingSince: open['failingSince'] });
    stage.shop.answer(() => ({ status: 204 }));
    const backAt = Date.now();
    expect(await test(id)).toMatchObject({ delivered: true });
    await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 1, 10_000);
    await waitFor(async () => (await view(id))['circuit'] === 'closed', { what: 'the circuit to close' });
    expect(logged('took a test event')).toHaveLength(1);
    // The last answer arrives a moment before the service commits its outcome.
    await waitFor(async () => (await view(id))['pending'] === 0);
    const after = await view(id);
    expect(after).toMatchObject({ oldestPendingAt: null, failingSince: null, nextProbeAt: null });
    expect(Date.parse(String(after['lastDeliveredAt']))).toBeGreaterThanOrEqual(backAt);
    expect(await deliveries()).toMatchObject({ status: 'ok' });
  }, 60_000);
});
