import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';

import type { DashboardStage } from '../../../support/dashboard/dashboard-stage.ts';
import { rowOf } from '../../../support/dashboard/page-parts.ts';
import { scrollDown } from '../../../../tools/testkit/scrolling.ts';
import { copyPayment } from '../../../../tools/testkit/stored-copies.ts';
import { waitFor } from '../../../../tools/testkit/wait-for.ts';
import { dailyStage } from './daily-stage.ts';

const ORDERS = ['B-1', 'B-2', 'B-3', 'B-4'];

/** The lists that a person works from: their length, their order, and actions on several rows. */
export function lists(): void {
  describe('the lists on the dashboard', () => {
    let paybell: DashboardStage;
    const ids = new Map<string, string>();
    let shop: string;
    let refused: RegExp = /B-[12]/;

    beforeAll(async () => {
      paybell = await dailyStage();
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

    describe('with several payments selected', () => {
      // Two attempts in turn, each with the patience of the page.
      const said = (page: Page, words: string): Promise<unknown> =>
        waitFor(
          async () => {
            const texts = await page.getByRole('status').allInnerTexts();
            if (!texts.includes(words)) throw new Error(`it says ${texts.join(' | ')}`);
            return true;
          },
          { timeoutMs: 45_000, what: words },
        );

      it('send again what the shop lacks of each, and say what it answered', async () => {
        const page = await paybell.visit('/payments');
        await select(page, 'B-1', 'B-2', 'B-3');
        await page.getByText('3 payments selected').waitFor();
        const seen = paybell.stage.shop.requests.length;
        refused = /B-1/;
        await page.getByRole('button', { name: 'Send again', exact: true }).click();
        await said(page, '2 events sent again: 1 acknowledged, 1 not.');
        await page
          .getByRole('list', { name: 'Not acknowledged' })
          .getByText(/^B-1 shop answered 503 to payment\.created in .*\.$/)
          .waitFor();
        const sent = paybell.stage.shop.requests.slice(seen).map(({ text }) => text);
        // The retry schedule may send the event once more.
        expect(sent.filter((text) => text.includes('B-1') && text.includes('payment.created'))).not.toEqual(
          [],
        );
        expect(sent.filter((text) => text.includes('B-3'))).toEqual([]);
        await page.getByRole('button', { name: 'Clear' }).click();
        await page.getByText('3 payments selected').waitFor({ state: 'detached' });
        expect(await page.getByRole('checkbox', { name: 'Select B-1' }).isChecked()).toBe(false);
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
        const { database } = paybell.stage;
        await database.query(
          `INSERT INTO payment (provider, quote_id, order_id, status, late, sequence, tracking, created_at, updated_at, progress_at,
             part_digests, report_digest, stalls, contradictions)
           SELECT 'http', gen_random_uuid(), 'many', 'COMPLETED', false, 1, 'closed', t, t, t, '|||', '', '{}', '{}'
           FROM (SELECT now() - n * interval '1 minute' AS t FROM generate_series(1, 10050) n) made`,
        );
        const query = (sql: string, parameters: readonly unknown[]) => database.query(sql, [...parameters]);
        await copyPayment(query, ids.get('B-4') ?? '', 150);
      });

      it('say so instead of a number', async () => {
        const page = await paybell.visit('/payments?orderId=many');
        await page.getByText('10,000 or more payments', { exact: true }).waitFor();
      });

      // How long a task takes the page's thread is measured by `npm run bench -- dashboard`.
      it('read on at the end that they are scrolled to, and draw the rows near the window', async () => {
        const page = await paybell.visit('/payments?status=FAILED&sort=oldest');
        await page.getByText('154 payments', { exact: true }).waitFor();
        const last = page.getByRole('row').last();
        await waitFor(async () => {
          await scrollDown(page, 1, 20_000);
          return Number(await last.getAttribute('aria-rowindex')) > 154;
        });
        await page.getByText('154 payments: these are all.').waitFor();
        expect(await page.getByRole('row').count()).toBeLessThan(80);
      });
    });
  });
}
