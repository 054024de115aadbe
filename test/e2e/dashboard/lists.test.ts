import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';

import { describeWithChromium } from '../../support/dashboard/chromium.ts';
import { DashboardStage, describeTheWhole, watchOver } from '../../support/dashboard/dashboard-stage.ts';
import { Keyboard } from '../../support/dashboard/keyboard.ts';
import { reasonOf, rowOf } from '../../support/dashboard/page-parts.ts';

const ORDERS = ['B-1', 'B-2', 'B-3', 'B-4'];

let paybell: DashboardStage;

/** The lists that a person works from: what is done with several rows. */
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

  async function select(page: Page, ...orders: string[]): Promise<void> {
    for (const order of orders) await page.getByRole('checkbox', { name: `Select ${order}` }).check();
  }

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
      expect(sent.filter((text) => text.includes('B-1') && text.includes('payment.created'))).toHaveLength(1);
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
      await said(page, 'The endpoints have acknowledged all of their events.');
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

  describe('and all of this together', () => {
    describeTheWhole(() => paybell);
  });
});
