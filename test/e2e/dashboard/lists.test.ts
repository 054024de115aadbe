import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';

import { describeWithChromium } from '../../support/dashboard/chromium.ts';
import { DashboardStage, describeTheWhole, watchOver } from '../../support/dashboard/dashboard-stage.ts';
import { Keyboard } from '../../support/dashboard/keyboard.ts';
import { reasonOf, rowOf } from '../../support/dashboard/page-parts.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';

const PHONE = { width: 375, height: 800 };
const DESK = { width: 1440, height: 900 };
const ORDERS = ['B-1', 'B-2', 'B-3', 'B-4'];

let paybell: DashboardStage;

/** The lists that a person works from: how long they are, from which end they are read, and what is done with several rows. */
describeWithChromium('the lists on the dashboard', () => {
  const ids = new Map<string, string>();
  let shop: string;
  let refused: RegExp = /B-[12]/;

  watchOver(() => paybell);
  beforeAll(async () => {
    paybell = await DashboardStage.open({ WEBHOOK_RETRY_SCHEDULE: '50ms,1h' });
    paybell.stage.shop.answer(({ text }) => ({ status: refused.test(text) ? 503 : 204 }));
    shop = await paybell.addEndpoint('shop');
    for (const order of ORDERS) ids.set(order, await paybell.quote(order, '25.01'));
    for (const order of ORDERS) await paybell.whenAt(ids.get(order) ?? '', 'FAILED');
    for (const order of ['B-1', 'B-2']) await paybell.whenFailed(shop, order);
  });

  const firstRow = (page: Page): Promise<string> =>
    page.getByRole('main').getByRole('row').nth(1).innerText();

  async function select(page: Page, ...orders: string[]): Promise<void> {
    for (const order of orders) await page.getByRole('checkbox', { name: `Select ${order}` }).check();
  }

  it('of payments is read from its other end, and keeps its filters', async () => {
    const page = await paybell.visit('/payments?status=FAILED');
    await waitFor(async () => (await firstRow(page)).includes('B-4'));
    await page.getByRole('link', { name: /^Newest first/ }).click();
    await waitFor(async () => (await firstRow(page)).includes('B-1'));
    expect(new URL(page.url()).search).toBe('?status=FAILED&sort=oldest');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Token').fill('ETH');
    await page.getByRole('dialog').getByRole('button', { name: 'Show' }).click();
    await page.waitForURL('**/payments?status=FAILED&token=ETH&sort=oldest');
    await page.getByRole('link', { name: /^Oldest first/ }).click();
    await waitFor(async () => (await firstRow(page)).includes('B-4'));
  });

  it('of payments says that nothing matches by its filters alone, whatever its order', async () => {
    const page = await paybell.visit('/payments?sort=oldest');
    await rowOf(page, 'B-1').waitFor();
    expect(await page.getByRole('button', { name: 'Save this filter' }).count()).toBe(0);
    await page.goto(`${paybell.dashboard.url}/dashboard/payments?search=nobody-17&sort=oldest`);
    await page.getByText('No payment is found by “nobody-17”').waitFor();
    expect(await page.getByText('Other filters are on too').count()).toBe(0);
  });

  it('of deliveries is read from its other end too, and says how many there are', async () => {
    const page = await paybell.visit('/deliveries');
    const { count } = await paybell.read('/api/webhook-delivery-count');
    await page
      .getByText(`${Number(count)} deliveries`)
      .first()
      .waitFor();
    await page.getByRole('link', { name: /^Newest first/ }).click();
    await waitFor(async () => /payment\.created\s+#1/.test(await firstRow(page)));
    expect(await firstRow(page)).toContain('B-1');
    expect(new URL(page.url()).search).toBe('?sort=oldest');
  });

  it('of deliveries has the time of the last change, and on hovering when each was recorded', async () => {
    const page = await paybell.visit('/deliveries?orderId=B-1&state=pending');
    const time = rowOf(page, 'payment.created').getByRole('time').last();
    expect(await time.innerText()).toMatch(/ago|just now/);
    expect(await time.getAttribute('title')).toMatch(/^Changed .*UTC\nCreated .*UTC$/);
    expect(await page.getByRole('columnheader').last().innerText()).toBe('Last change');
  });

  it('of deliveries keeps on a phone who was to be told, and what came of it', async () => {
    const page = await paybell.visit('/deliveries?orderId=B-1&state=pending');
    await page.setViewportSize(PHONE);
    try {
      const row = rowOf(page, 'payment.created');
      for (const part of ['B-1', 'Waiting', 'shop', /^answered 503/]) {
        const box = await row.getByText(part).first().boundingBox();
        expect(box !== null && box.x >= 0 && box.x + box.width <= PHONE.width).toBe(true);
      }
    } finally {
      await page.setViewportSize(DESK);
    }
  });

  it('of deliveries keeps its header in sight below the search', async () => {
    const page = await paybell.visit('/deliveries');
    await rowOf(page, 'B-4').first().waitFor();
    await page.setViewportSize({ width: 1440, height: 260 });
    try {
      await page.mouse.wheel(0, 2_000);
      await waitFor(async () => Number(await page.evaluate('window.scrollY')) > 100);
      const header = await page.getByRole('columnheader', { name: 'State' }).boundingBox();
      expect(header?.y).toBeGreaterThanOrEqual(50);
      expect(header?.y).toBeLessThan(60);
    } finally {
      await page.setViewportSize(DESK);
    }
  });

  describe('with several payments selected', () => {
    const said = (page: Page, words: string | RegExp): Promise<void> =>
      page.getByRole('status').getByText(words).waitFor();

    it('tell a viewer why nothing can be done with them', async () => {
      const page = await paybell.visit('/payments', 'viewer');
      await select(page, 'B-1', 'B-2');
      await page.getByText('2 payments selected').waitFor();
      for (const name of ['Send again', 'Resolve…'])
        expect(await reasonOf(page, name)).toContain('Needs the role operator or admin');
    });

    it('send again what the shop lacks of each, and say what it answered', async () => {
      const page = await paybell.visit('/payments');
      await select(page, 'B-1', 'B-2', 'B-3');
      await page.getByText('3 payments selected').waitFor();
      const seen = paybell.stage.shop.requests.length;
      refused = /B-1/;
      await page.getByRole('button', { name: 'Send again', exact: true }).click();
      await said(page, '2 events sent again: 1 acknowledged, 1 not.');
      const sent = paybell.stage.shop.requests.slice(seen).map(({ text }) => text);
      // The retry schedule may send it once more.
      expect(sent.filter((text) => text.includes('B-1') && text.includes('payment.created'))).not.toEqual([]);
      expect(sent.filter((text) => text.includes('B-3'))).toEqual([]);
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.getByText('3 payments selected').waitFor({ state: 'detached' });
      expect(await page.getByRole('checkbox', { name: 'Select B-1' }).isChecked()).toBe(false);
    });

    it('say by keyboard too that all is acknowledged now', async () => {
      const page = await paybell.visit('/payments?orderId=B-1');
      const keyboard = new Keyboard(page);
      await rowOf(page, 'B-1').waitFor();
      for (const key of ['j', 'x']) await keyboard.press(key);
      await page.getByText('1 payment selected').waitFor();
      refused = /nothing/;
      await keyboard.use('button', 'Send again');
      await said(page, '1 event sent again, and all acknowledged.');
      await rowOf(page, 'B-1').getByText('told', { exact: true }).waitFor();
      await keyboard.use('button', 'Send again');
      await said(page, 'All of their events were acknowledged everywhere.');
    });

    it('resolve them together, and say so', async () => {
      const page = await paybell.visit('/payments', 'operator');
      await select(page, 'B-2', 'B-3');
      await page.getByRole('button', { name: 'Resolve…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Resolve 2 payments' });
      await dialog.getByRole('radio', { name: 'Refunded' }).check();
      await dialog.getByLabel('Note').fill('by hand');
      await dialog.getByRole('button', { name: 'Resolve' }).click();
      await said(page, '2 payments resolved.');
      for (const order of ['B-2', 'B-3']) {
        await rowOf(page, order).getByText('resolved', { exact: true }).waitFor();
        const { resolution } = await paybell.read(`/api/payments/${ids.get(order)}`);
        expect(resolution).toMatchObject({ reason: 'refunded', note: 'by hand', by: 'operator' });
      }
      expect(await rowOf(page, 'B-4').getByText('resolved', { exact: true }).count()).toBe(0);
      expect(await page.getByRole('checkbox', { name: 'Select B-2' }).isChecked()).toBe(false);
    });
  });

  describe('with more payments than are counted', () => {
    beforeAll(async () => {
      await paybell.stage.database.query(
        `INSERT INTO payment (provider, quote_id, order_id, status, late, sequence, tracking, created_at, updated_at, progress_at,
           part_digests, report_digest, stalls, contradictions)
         SELECT 'http', gen_random_uuid(), 'many', CASE WHEN n <= 150 THEN 'EXPIRED' ELSE 'COMPLETED' END, false, 1, 'closed',
           t, t, t, '|||', '', '{}', '{}'
         FROM (SELECT n, now() - n * interval '1 minute' AS t FROM generate_series(1, 10050) n) made`,
      );
    });

    it('say so instead of a number', async () => {
      const page = await paybell.visit('/payments?orderId=many');
      await page.getByText('10,000 or more payments', { exact: true }).waitFor();
    });

    it('read on at the end that they are scrolled to', async () => {
      const page = await paybell.visit('/payments?orderId=many&status=EXPIRED&sort=oldest');
      await page.getByText('150 payments', { exact: true }).waitFor();
      await page.mouse.wheel(0, 20_000);
      await page.getByText('150 payments: these are all.').waitFor();
    });
  });

  describe('and all of this together', () => {
    describeTheWhole(() => paybell);
  });
});
