import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { arrivalsAt, firstArrivals, storyOf, waitForStories } from '../support/published-events.ts';
import { startTcpReceiver, type TcpReceiver } from '../support/tcp-receiver.ts';
import { SHOP } from '../support/tls-certificates.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

/** Long intervals, so that no ten failures come together: another test is about circuits. */
const SELDOM = Array(60).fill('1s').join(',');
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
const TYPES = ['payment.created', 'payment.deposit_received', 'payment.completed'];

let stage: Stage;
let app: SharedService;
let other: HttpReceiver;
let proxy: TcpReceiver;

/** An environment that would send webhooks through a proxy, and accept any certificate. */
function misleading(): Record<string, string> {
  const proxies = Object.fromEntries(PROXIES.map((name) => [name, `http://127.0.0.1:${proxy.port}`]));
  const heeded = { NODE_USE_ENV_PROXY: '1', NO_PROXY: '', no_proxy: '', NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  return { ...proxies, ...heeded };
}

beforeAll(async () => {
  stage = await Stage.open();
  other = await HttpReceiver.start();
  proxy = await startTcpReceiver((socket) => socket.destroy());
  app = await stage.startWarm({ ...misleading(), WEBHOOK_RETRY_SCHEDULE: SELDOM });
  await stage.addShop(app);
  await stage.addShop(app, `${other.url}/other-shop`);
});

afterAll(async () => {
  await proxy.close();
  await other.close();
});

describe('webhooks of a process whose environment says otherwise', () => {
  it('go past every proxy that it names', async () => {
    await stage.quote(app);
    await stage.shop.waitForCount(1);
    expect(proxy.connections()).toBe(0);
  });

  it('go to no receiver whose certificate cannot be verified', async () => {
    const impostor = await HttpReceiver.start(() => ({ status: 200 }), { tls: SHOP });
    const body = { url: `https://127.0.0.1:${impostor.port}/` };
    const added = await app.fetch('/api/webhook-endpoints', { method: 'POST', body });
    const { id } = await jsonOf(added, 201);
    await stage.quote(app);
    await waitFor(
      () =>
        app.lines.some((line) =>
          /failed \(tls UNABLE_TO_VERIFY_LEAF_SIGNATURE\).*no intermediate/.test(line),
        ),
      { what: 'a failed attempt' },
    );
    expect(impostor.requests).toEqual([]);
    expect(proxy.connections()).toBe(0);
    await app.fetch(`/api/webhook-endpoints/${String(id)}`, { method: 'DELETE' });
    await impostor.close();
  });
});

/** Two payments go through two statuses while the shop fails; the other endpoint must get its events. */
async function walkWhileFailing(): Promise<string[]> {
  const quoteIds = await stage.quotes(app, 2);
  for (const [index, status] of ['DEPOSIT_RECEIVED', 'COMPLETED'].entries()) {
    stage.say(quoteIds, status);
    await waitForStories(() => arrivalsAt(other), quoteIds, index + 2, 8_000);
  }
  return quoteIds;
}

function ofPayments(receiver: HttpReceiver, quoteIds: readonly string[]) {
  return arrivalsAt(receiver).filter(({ subject }) => quoteIds.includes(subject));
}

describe('a receiver that fails', () => {
  it('never answers: tried again under the same id, in order, and no other endpoint waits', async () => {
    stage.shop.answer(() => 'hang');
    const quoteIds = await walkWhileFailing();
    await waitFor(() => ofPayments(stage.shop, quoteIds).length > 2, { what: 'a second attempt' });
    const tried = ofPayments(stage.shop, quoteIds);
    expect(new Set(tried.map(({ type }) => type))).toEqual(new Set(['payment.created']));
    expect(new Set(tried.map(({ id }) => id)).size).toBeLessThanOrEqual(2);
    stage.shop.answer(() => ({ status: 204 }));
    await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 3);
    expect(firstArrivals(ofPayments(stage.shop, quoteIds))).toEqual(storyOf(quoteIds, TYPES));
  });

  it('is down: everything comes in order once it is up again', async () => {
    await stage.shop.close();
    const quoteIds = await walkWhileFailing();
    await stage.shop.reopen();
    await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 3);
    expect(firstArrivals(ofPayments(stage.shop, quoteIds))).toEqual(storyOf(quoteIds, TYPES));
  });

  it('fails for one payment alone: the others do not wait for it', async () => {
    stage.shop.answer(({ text }) => ({ status: text.includes('"orderId":"stuck"') ? 500 : 204 }));
    const stuck = await stage.quote(app, { orderId: 'stuck' });
    const free = await stage.quote(app);
    stage.say([stuck, free], 'COMPLETED');
    await waitForStories(() => arrivalsAt(stage.shop), [free], 2);
    expect(firstArrivals(arrivalsAt(stage.shop)).get(stuck)).not.toContain('2 payment.completed');
    stage.shop.answer(() => ({ status: 204 }));
    await waitForStories(() => arrivalsAt(stage.shop), [stuck], 2);
  });
});

it('whatever the receivers did, nothing went through a proxy, and the process ends with 0', async () => {
  expect(await app.stop()).toBe(0);
  expect(proxy.connections()).toBe(0);
});
