import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPI3 } from 'openapi-typescript';
import type { Page } from 'playwright-core';

import { apiTypes } from '../../tools/generate/api-types.ts';
import { API_KEY, type AppProcess } from '../support/app-process.ts';
import { describeWithChromium } from '../support/dashboard/chromium.ts';
import { Dashboard, sidewaysOf, violationsOf } from '../support/dashboard/dashboard.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { SANDBOX } from '../support/suites/sandbox-stories.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const VIEW_KEY = 'view-key-0123456789abcdef';

let stage: Stage;
let app: AppProcess;

beforeAll(async () => {
  stage = await Stage.open();
  const keys = `test:${API_KEY},view:${VIEW_KEY}:viewer`;
  app = await stage.start({ ...SANDBOX, SANDBOX_SPEED: '50', API_KEYS: keys });
});

async function idOf(path: string): Promise<string> {
  const { data } = (await jsonOf(await app.fetch(path), 200)) as { data: { id: string }[] };
  return data[0]?.id ?? '';
}

describe("the dashboard's types", () => {
  it('are what npm run generate makes of /openapi.json', async () => {
    const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as OpenAPI3;
    const file = new URL('../../web/src/api/schema.d.ts', import.meta.url);
    expect(await readFile(file, 'utf8')).toBe(await apiTypes(document));
  });
});

describeWithChromium('the dashboard', () => {
  let dashboard: Dashboard;
  let late: string;

  beforeAll(async () => {
    stage.shop.answer(({ text }) => ({
      status: text.includes('A-REFUSED') ? 503 : 204,
      body: 'out of stock',
    }));
    await stage.addShop(app);
    late = await stage.quote(app, { amount: '1000.03', orderId: 'A-LATE' });
    await stage.quote(app, { amount: '25.01', orderId: 'A-FAILED' });
    await stage.quote(app, { amount: '19.05', orderId: 'A-REFUSED' });
    const isLate = async () =>
      (await jsonOf(await app.fetch(`/api/payments/${late}`), 200))['status'] === 'COMPLETED';
    await waitFor(isLate, { timeoutMs: 30_000 });
    dashboard = await Dashboard.open(app);
  });
  afterAll(async () => {
    await dashboard.close();
  });

  it('asks for a key, says that a wrong one is wrong, and leads to where one wanted', async () => {
    const page = await dashboard.visitUnknown('/payments?status=FAILED');
    await page.getByLabel('API key').fill('a wrong key');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('This key is not known here.').waitFor();
    await page.goto(`${dashboard.url}/dashboard/payments?status=FAILED`);
    await page.getByLabel('API key').fill(app.apiKey);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'A-FAILED' }).waitFor();
    expect(await page.getByRole('link', { name: 'A-LATE' }).count()).toBe(0);
    expect(new URL(page.url()).search).toBe('?status=FAILED');
    await page.context().close();
  });

  it('keeps the key from every script: it is in no store, no cookie and no page', async () => {
    const page = await dashboard.visit('/payments');
    await page.getByRole('link', { name: 'A-LATE' }).waitFor();
    const seen = await page.evaluate<string>(
      'JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}, document.documentElement.outerHTML])',
    );
    expect(seen).not.toContain(app.apiKey);
    await page.context().close();
  });

  it('finds a payment by keyboard alone, and says in plain words what happened to it', async () => {
    const page = await dashboard.visit('/live');
    await page.getByRole('heading', { name: 'Live' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('A-LATE');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'A-LATE' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(/^Paid 1,000\.03 \w+, .* after the quote had expired, and completed\./).waitFor();
    for (const type of [
      'payment.created',
      'payment.expired',
      'payment.deposit_received',
      'payment.completed',
    ])
      await page.getByRole('listitem').getByText(type, { exact: true }).waitFor();
    await page.getByText('What the report says').last().focus();
    await page.keyboard.press('Enter');
    await page.getByText('execution.outputTxHash').waitFor();
    await page.context().close();
  });

  it('resolves a payment with a note, shows who did it, and takes that back', async () => {
    const page = await dashboard.visit(`/payments/${late}`);
    await page.getByRole('button', { name: 'Resolve…' }).press('Enter');
    await page.getByRole('radio', { name: 'Refunded' }).waitFor();
    await page.getByLabel('Note').fill('paid back by hand');
    await page.keyboard.press('Enter');
    await page.getByText('Resolved by test: Refunded, “paid back by hand”').waitFor();
    await page.getByText('resolved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Take the resolution back' }).click();
    await page.getByText('The resolution was taken back').waitFor();
    await page.context().close();
  });

  it('saves the list as it is filtered as CSV, and keeps a filter under a name', async () => {
    const page = await dashboard.visit('/payments');
    await page.getByRole('link', { name: 'Late', exact: true }).click();
    await page.getByRole('link', { name: 'A-FAILED' }).waitFor({ state: 'detached' });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const csv = await readFile(await download.path(), 'utf8');
    expect(csv).toContain('A-LATE');
    expect(csv).not.toContain('A-FAILED');
    await page.getByRole('button', { name: 'Save this filter' }).click();
    await page.getByLabel('Name').fill('too late');
    await page.keyboard.press('Enter');
    await page.goto(`${dashboard.url}/dashboard/payments`);
    await page.getByRole('link', { name: 'too late' }).click();
    await page.waitForURL('**/payments?late=true');
    await page.context().close();
  });

  it('announces a new payment, and moves no row until it is asked to', async () => {
    const page = await dashboard.visit('/payments');
    const rows = page.locator('tbody tr a');
    await rows.first().waitFor();
    const before = await rows.allInnerTexts();
    await stage.quote(app, { amount: '25.05', orderId: 'A-NEW' });
    const news = page.getByRole('button', { name: '1 new payment' });
    await news.waitFor({ timeout: 20_000 });
    expect(await rows.allInnerTexts()).toEqual(before);
    await news.click();
    await page.getByRole('link', { name: 'A-NEW' }).waitFor();
    await page.context().close();
  });

  it('shows each attempt of a delivery that failed, with what the shop answered, and sends it again', async () => {
    const page = await dashboard.visit(
      `/deliveries/${await idOf('/api/webhook-deliveries?orderId=A-REFUSED')}`,
    );
    await page.goto(`${dashboard.url}/dashboard/deliveries?orderId=A-REFUSED`);
    await page.getByRole('link', { name: 'payment.created' }).click();
    await page.getByText('answered 503').first().waitFor();
    await page.getByText('out of stock').first().waitFor();
    await page.getByRole('tab', { name: 'Python' }).click();
    await page.getByText('from standardwebhooks import Webhook').waitFor();
    stage.shop.answer(() => ({ status: 204 }));
    await page.getByRole('button', { name: 'Send it now' }).click();
    await page
      .getByText(/acknowledged with 204/)
      .first()
      .waitFor();
    await page.context().close();
  });

  it('adds an endpoint, shows its secret once, and loses no input when the session ends meanwhile', async () => {
    const page = await dashboard.visit('/endpoints');
    await page.getByRole('button', { name: 'Add an endpoint' }).press('Enter');
    await page.getByLabel('URL').fill('http://10.0.0.1/private');
    await page.keyboard.press('Enter');
    await page.getByText('Url is a private address').waitFor();
    await page.getByLabel('URL').fill(`${stage.shop.url}/second`);
    await page.getByLabel('Name').fill('second shop');
    await page.context().clearCookies();
    await page.getByRole('dialog').getByRole('button', { name: 'Add the endpoint' }).press('Enter');
    await page.getByRole('dialog', { name: 'Sign in again' }).getByLabel('API key').fill(app.apiKey);
    await page.keyboard.press('Enter');
    const secret = page.getByText(/^whsec_/);
    await secret.waitFor();
    const shown = await secret.innerText();
    await page.getByRole('button', { name: 'Done' }).press('Enter');
    await page.getByRole('heading', { name: 'second shop' }).waitFor();
    expect(await page.content()).not.toContain(shown);
    await page.context().close();
  });

  it('tells a viewer why a button does nothing', async () => {
    const page = await dashboard.visit('/endpoints', { key: VIEW_KEY });
    const add = page.getByRole('button', { name: /^Add an endpoint/ });
    await add.click({ force: true });
    expect(await add.getAttribute('aria-disabled')).toBe('true');
    expect(await add.innerText()).toContain('Needs the role admin; you are signed in as viewer.');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Access' }).count()).toBe(0);
    await page.context().close();
  });

  it('says that Paybell does not answer, keeps what it showed, and recovers by itself', async () => {
    const page = await dashboard.visit('/endpoints');
    await page
      .getByRole('cell', { name: /127\.0\.0\.1/ })
      .first()
      .waitFor();
    await page.route('**/api/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await page.getByText('Paybell does not answer.').first().waitFor({ timeout: 20_000 });
    await page.getByRole('link', { name: 'Endpoints' }).click();
    expect(await page.getByRole('cell', { name: /127\.0\.0\.1/ }).count()).toBeGreaterThan(0);
    await page.unroute('**/api/**');
    await page.getByText('Paybell does not answer.').waitFor({ state: 'detached', timeout: 20_000 });
    await page.context().close();
  });

  it('shows events as they come, and holds them while it is paused', async () => {
    const page = await dashboard.visit('/live');
    await page.getByText('Live', { exact: true }).nth(1).waitFor();
    await stage.quote(app, { amount: '3.05', orderId: 'A-LIVE' });
    await page.getByRole('link', { name: 'A-LIVE' }).first().waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await stage.quote(app, { amount: '4.05', orderId: 'A-HELD' });
    await page.getByText(/Paused, [1-9]\d* events? held/).waitFor();
    expect(await page.getByRole('link', { name: 'A-HELD' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('link', { name: 'A-HELD' }).first().waitFor();
    await page.context().close();
  });

  it('has no screen that axe finds fault with, light or dark, or that scrolls sideways at 375 px', async () => {
    const page = await dashboard.visit('/payments', { width: 375, height: 800 });
    await page.getByRole('button', { name: 'Menu' }).click();
    const places = await page.getByRole('navigation').getByRole('link').all();
    const links = await Promise.all(places.map((link) => link.getAttribute('href')));
    const one = (path: string) =>
      app.fetch(path).then((answer) => answer.json()) as Promise<{ data: { id: string }[] }>;
    const endpoint = (await one('/api/webhook-endpoints')).data[0]?.id;
    const delivery = (await one('/api/webhook-deliveries')).data[0]?.id;
    const more = [`/payments/${late}`, `/endpoints/${endpoint}`, `/deliveries/${delivery}`];
    const faults: string[] = [];
    for (const path of [...links, ...more.map((rest) => `/dashboard${rest}`)])
      for (const found of await faultsOf(page, `${dashboard.url}${path}`)) faults.push(`${path}: ${found}`);
    expect(links.length).toBeGreaterThan(5);
    expect(faults).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('did nothing of all this that its Content-Security-Policy forbids, and threw no error', () => {
    expect(dashboard.complaints).toEqual([]);
  });
});

/** In both schemes, narrow as the page is and as wide as a desk. */
async function faultsOf(page: Page, url: string): Promise<string[]> {
  const faults: string[] = [];
  await page.setViewportSize({ width: 375, height: 800 });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' });
  const sideways = await sidewaysOf(page);
  if (sideways > 0) faults.push(`can be scrolled sideways by ${sideways} px`);
  faults.push(...(await violationsOf(page)));
  await page.setViewportSize({ width: 1_280, height: 900 });
  await page.emulateMedia({ colorScheme: 'dark' });
  faults.push(...(await violationsOf(page)));
  return faults;
}
