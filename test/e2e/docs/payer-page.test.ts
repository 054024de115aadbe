import { beforeAll, expect, it } from '@jest/globals';
import { chromium } from 'playwright-core';

import { CHROMIUM, CHROMIUM_ARGS } from '../../../tools/testkit/chromium.ts';
import { HttpReceiver } from '../../../tools/testkit/http-receiver.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { describeWithChromium } from '../../support/dashboard/chromium.ts';
import { snippet } from '../../support/doc-snippet.ts';
import { EventStream } from '../../support/event-stream.ts';
import type { SharedService } from '../../support/shared-process.ts';
import { jsonOf, Stage } from '../../support/stage.ts';

let stage: Stage;
let shop: HttpReceiver;
/** The API for shops, and the process that payers reach. */
let api: SharedService;
let front: SharedService;

beforeAll(async () => {
  [stage, shop] = await Promise.all([Stage.open(), HttpReceiver.start()]);
  const page = { PUBLIC_ORIGINS: new URL(shop.url).origin, LOG_LEVEL: 'debug' };
  [api, front] = await Promise.all([
    stage.startWarm({ ...page, ROLES: 'api,tracker,dispatcher' }),
    stage.startWarm({ ...page, ROLES: 'public' }),
  ]);
});

/** The path of a link. */
async function link(quoteId: string, key = api.apiKey): Promise<string> {
  const init = { method: 'POST', headers: { 'x-api-key': key } };
  const { url } = await jsonOf(await api.fetch(`/api/payments/${quoteId}/link`, init), 201);
  return new URL(String(url)).pathname;
}

it('a payer reaches a process of the role public alone; its token is in no log, and its link in the audit log', async () => {
  const quoteId = await stage.quote(api);
  const path = await link(quoteId);
  expect((await fetch(`${api.url}${path}`)).status).toBe(404);
  const payment = await jsonOf(await fetch(`${front.url}${path}`), 200);
  expect(payment).toMatchObject({ status: 'AWAITING_DEPOSIT', amount: expect.any(String) });
  expect((await fetch(`${front.url}${path}0/stream`)).status).toBe(404);
  const others = ['/api/chains', `/api/payments/${quoteId}`, '/dashboard', '/openapi.json'];
  for (const other of others) expect((await front.fetch(other)).status).toBe(404);
  expect((await fetch(`${front.url}/health/ready`)).status).toBe(200);
  for (const app of [api, front]) {
    await waitFor(() => app.lines.some((line) => line.includes('/public/payments/[redacted]')));
    expect(app.lines.join('')).not.toContain(path.slice(path.indexOf('_') + 1));
  }
  const { data } = await jsonOf(await api.fetch('/api/audit?action=payment.link'), 200);
  expect(data).toMatchObject([{ target: quoteId, status: 201, values: {} }]);
});

it("a link and its stream end with the link's key, at every process", async () => {
  const made = await api.fetch('/api/keys', { method: 'POST', body: { name: 'leaver', role: 'shop' } });
  const path = await link(await stage.quote(api), String((await jsonOf(made, 201))['key']));
  await waitFor(async () => (await fetch(`${front.url}${path}`)).status === 200);
  const stream = await EventStream.open(`${front.url}${path}/stream`, {});
  await waitFor(() => stream.events.length === 1);
  await api.fetch('/api/keys/leaver', { method: 'DELETE' });
  await waitFor(async () => stream.isEnded && (await fetch(`${front.url}${path}`)).status === 404);
});

describeWithChromium("the payer's page of the docs", () => {
  it('shows what to send, and what becomes of it, to a browser at another origin', async () => {
    const html = await snippet('docs/using/payer-page.md', "payer's page", 'html');
    expect(html.split('\n').length).toBeLessThanOrEqual(30);
    const body = html.replace('https://pay.example', front.url);
    shop.answer(() => ({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body }));
    const quoteId = await stage.quote(api);
    const token = (await link(quoteId)).split('/').at(-1);
    const { quote } = await jsonOf(await api.fetch(`/api/payments/${quoteId}`), 200);
    const { send } = quote as { send: { depositAddress: string; amount: string } };

    const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: CHROMIUM_ARGS });
    try {
      const page = await browser.newPage();
      await page.goto(`${new URL(shop.url).origin}/pay.html#${token}`);
      await page.getByText(/^Please pay within \d+ s$/).waitFor();
      const shown = await page.locator('#send').innerText();
      expect(shown).toContain(send.depositAddress);
      expect(shown).toContain(`exactly ${send.amount} `);
      stage.say([quoteId], 'COMPLETED');
      await page.getByText(/^COMPLETED/).waitFor();
      expect(await page.locator('#send').innerText()).toBe('');
    } finally {
      await browser.close();
      await shop.close();
    }
  });
});
